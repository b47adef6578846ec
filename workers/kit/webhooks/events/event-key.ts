import { idBefore } from "../../ids";

// The id of an event is a time-ordered UUID. Company and id together are the key of its row. The API identifies events by
// integers that are derived from the id. Such an integer suffices to find the row, and is small enough for JSON.

/** Integer ids count milliseconds since this time, so that 41 bits last until 2089. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
/** Ids that one isolate creates in the same millisecond differ in these 12 bits. */
const SEQUENCES = 0x1000;

/** Returns a text that sorts after every UUID that starts with `prefix`. */
const upperBoundOf = (prefix: string) => `${prefix}~`;

/** Returns the unix ms at which a time-ordered UUID was created. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * Returns the integer id of an event in the API. Two events of a company can have the same integer only when two
 * isolates created them in the same millisecond.
 */
export function numberOfId(id: string): number {
  return (timeOfId(id) - EPOCH_MS) * SEQUENCES + Number.parseInt(id.slice(15, 18), 16);
}

/** Returns the bounds between which the id of the event with this integer lies. The bounds for null match no event. */
export function idsOfNumber(number: number | null): { above: string; below: string } {
  if (number === null) return { above: "", below: "" };
  const sequence = (number % SEQUENCES).toString(16).padStart(3, "0");
  const prefix = `${idBefore(Math.floor(number / SEQUENCES) + EPOCH_MS)}-7${sequence}`;
  return { above: prefix, below: upperBoundOf(prefix) };
}

import { idBefore } from "../../ids";

// The id of an event is a time-ordered UUID and, after the company, the key of its row. The API names rows by integers
// derived from the id: enough to find the row again, and small enough for an integer of JSON.

/** Integer ids count milliseconds from here, so that 41 bits last until 2089. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
/** Ids of one isolate and millisecond differ in these 12 bits. */
const SEQUENCES = 0x1000;

/** Returns a text that sorts after every text that begins with `prefix` and a character of a UUID. */
const behind = (prefix: string) => `${prefix}~`;

/** Returns the unix ms at which a time-ordered UUID was made. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * Returns the integer that the API names an event by. Two events of a company share one only when two isolates made
 * them in the same millisecond.
 */
export function numberOfId(id: string): number {
  return (timeOfId(id) - EPOCH_MS) * SEQUENCES + Number.parseInt(id.slice(15, 18), 16);
}

/** Returns the bounds of the id of the event with this integer; null matches none. */
export function idsOfNumber(number: number | null): { above: string; below: string } {
  if (number === null) return { above: "", below: "" };
  const sequence = (number % SEQUENCES).toString(16).padStart(3, "0");
  const prefix = `${idBefore(Math.floor(number / SEQUENCES) + EPOCH_MS)}-7${sequence}`;
  return { above: prefix, below: behind(prefix) };
}

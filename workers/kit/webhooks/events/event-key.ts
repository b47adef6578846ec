import { idBefore } from "../../ids";

// The id of an event is a time-ordered uuid and, behind the company, the key of its row. The API names rows by integers,
// which are read off the id: what is needed to find the row again, and no more than an integer of JSON holds.

/** Integer ids count milliseconds from here, so that 41 bits last until 2089. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
/** Ids of one isolate and millisecond differ in these 12 bits. */
const SEQUENCES = 0x1000;

/** Greater than every text that begins with `prefix` and a character of a uuid. */
const behind = (prefix: string) => `${prefix}~`;

/** Unix ms at which a time-ordered uuid was made. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The integer by which the API names an event; of two events of a company only those of one ms in two isolates may share one. */
export function numberOfId(id: string): number {
  return (timeOfId(id) - EPOCH_MS) * SEQUENCES + Number.parseInt(id.slice(15, 18), 16);
}

/** Between which texts the id of the event with this integer is; null: between none. */
export function idsOfNumber(number: number | null): { above: string; below: string } {
  if (number === null) return { above: "", below: "" };
  const sequence = (number % SEQUENCES).toString(16).padStart(3, "0");
  const prefix = `${idBefore(Math.floor(number / SEQUENCES) + EPOCH_MS)}-7${sequence}`;
  return { above: prefix, below: behind(prefix) };
}

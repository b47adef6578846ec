import { type Entry, sumOf } from "../meter/tally.ts";

/**
 * List prices of the Workers Paid plan above the included usage, in dollars per million, as of 2026-11-22
 * (developers.cloudflare.com: workers, d1, durable-objects and queues, each under platform/pricing).
 */
export const prices = {
  d1Read: 0.001,
  d1Written: 1.0,
  objectRead: 0.001,
  objectWritten: 1.0,
  objectRequest: 0.15,
  request: 0.3,
  cpuMs: 0.02,
  queueOperation: 0.4,
  logLine: 0.6,
} as const;

/** Billed operations per queue message: write, read and delete. */
const OPERATIONS_A_MESSAGE = 3;

/** One line of a bill: the billed quantity per operation, and the price of a million operations. */
export type Charge = { what: string; count: number; dollars: number };

/**
 * Returns the charges for a million times `entries`. Cloudflare bills setting an alarm as a written row, and each alarm
 * and call as a request to the object.
 */
export function chargesOf(entries: Entry[]): Charge[] {
  const statements = sumOf(entries, "statement");
  const objects = sumOf(entries, "object row", "alarm set");
  const charge = (what: string, count: number, price: number): Charge => ({ what, count, dollars: count * price });
  return [
    charge("D1 rows written", statements.written, prices.d1Written),
    charge("D1 rows read", statements.read, prices.d1Read),
    charge("object rows written, alarms set included", objects.written, prices.objectWritten),
    charge("object rows read", objects.read, prices.objectRead),
    charge("object requests, alarms rung included", sumOf(entries, "object call", "alarm").calls, prices.objectRequest),
    charge("requests and queue batches", sumOf(entries, "request", "queue batch").calls, prices.request),
    charge("queue operations", sumOf(entries, "queue message").calls * OPERATIONS_A_MESSAGE, prices.queueOperation),
    charge("log lines", sumOf(entries, "log line").calls, prices.logLine),
  ];
}

/** Returns the price of a million times `entries` in dollars. */
export function priceOf(entries: Entry[]): number {
  return chargesOf(entries).reduce((sum, { dollars }) => sum + dollars, 0);
}

import { type Entry, sumOf } from "../meter/tally.ts";
import type { Operation, Trips } from "./contenders.ts";
import { concurrency } from "./load.ts";
import { priceOf } from "./prices.ts";

export type Counted = { name: string; operation: Operation | "ends of windows"; entries: Entry[] };

/** Requests per second by contender, with one value per round. */
export type Rates = {
  operation: Operation;
  trips: Trips;
  perSecond: Map<string, number[]>;
  /** CPU time of workerd per call in ms, with one value per round; empty on systems without /proc */
  cpuMs: Map<string, number[]>;
};

const contenders = ["platform", "better-auth", "bare"];

/** The target ratios of the platform's throughput: [to better-auth, to the bare Worker]. */
const targets: Record<Operation, [number | null, number | null]> = {
  "link request": [0.6, null],
  consume: [2, null],
  refresh: [null, 0.8],
  "GET /user": [null, 0.8],
};

/** Returns the median, or NaN without values. */
export const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const spread = (values: number[], digits: number) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;

/** Prints rows in columns. Only the first column is left-aligned. */
export function printTable(rows: (string | number)[][]): void {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => String(row[index]).length)));
  for (const row of rows) {
    const [name = "", ...cells] = row.map(String);
    console.log(
      [name.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))].join("  "),
    );
  }
}

/**
 * Prints the CPU time of workerd per call, including databases and objects. Other processes affect it less than the
 * throughput.
 */
export function printCpu(rates: Rates[]): void {
  const rows = rates.map(({ operation, cpuMs }) => {
    const valuesOf = (name: string) => cpuMs.get(name) ?? [];
    const cells = contenders.map((name) => (valuesOf(name).length === 0 ? "" : spread(valuesOf(name), 1)));
    const ratio = (name: string) =>
      valuesOf(name).length === 0 ? "" : (median(valuesOf(name)) / median(valuesOf("platform"))).toFixed(2);
    return [operation, ...cells, ratio("better-auth"), ratio("bare")];
  });
  console.log("\nCPU time of workerd per call, ms: median (min-max); below a ratio of 1 the other system needs less");
  printTable([["", ...contenders, "better-auth : platform", "bare : platform"], ...rows]);
}

/** Prints the calls of each operation to the runtime, and the price of a million operations. */
export function printCosts(counted: Counted[]): void {
  const head = [
    "",
    "",
    "D1 trips",
    "written",
    "read",
    "object calls",
    "object rows",
    "alarms",
    "log lines",
    "$/million",
  ];
  const rows = counted.map(({ name, operation, entries }) => [
    operation,
    name,
    sumOf(entries, "round trip").calls,
    sumOf(entries, "statement").written,
    sumOf(entries, "statement").read,
    sumOf(entries, "object call").calls,
    sumOf(entries, "object row", "alarm set").written,
    sumOf(entries, "alarm set", "alarm").calls,
    sumOf(entries, "log line").calls,
    priceOf(entries).toFixed(2),
  ]);
  console.log("\nOne operation of a returning user; a link request includes the attempt to send its mail");
  printTable([head, ...rows]);
}

/** Prints the median, minimum and maximum over the rounds. Ratios are calculated for each round. */
export function printThroughput(rates: Rates[], calls: number): void {
  const rounds = rates[0]?.perSecond.get("platform")?.length ?? 0;
  const rows = rates.map(({ operation, trips, perSecond }) => {
    const ratesOf = (name: string) => perSecond.get(name) ?? [];
    const platformRates = ratesOf("platform");
    const ratio = (name: string) => {
      const otherRates = ratesOf(name);
      return otherRates.length === 0
        ? ""
        : spread(
            platformRates.map((rate, index) => rate / (otherRates[index] ?? Number.NaN)),
            2,
          );
    };
    const [betterAuthTarget, bareTarget] = targets[operation];
    return [
      operation,
      `${trips.reads}+${trips.writes}+${trips.objects} (${trips.statements})`,
      spread(platformRates, 0),
      ratesOf("better-auth").length === 0 ? "" : spread(ratesOf("better-auth"), 0),
      spread(ratesOf("bare"), 0),
      ratio("better-auth"),
      betterAuthTarget ?? "",
      ratio("bare"),
      bareTarget ?? "",
    ];
  });
  const head = [
    "",
    "reads+writes+objects (statements)",
    "platform/s",
    "better-auth/s",
    "bare/s",
    "to better-auth",
    "target",
    "to bare",
    "target",
  ];
  console.log(`\n${rounds} rounds of ${calls} calls, ${concurrency} concurrent, alternating: median (min-max)`);
  printTable([head, ...rows]);
}

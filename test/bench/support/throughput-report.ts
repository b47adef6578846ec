import { type Entry, sumOf } from "../meter/tally.ts";
import type { Operation, Trips } from "./contenders.ts";
import { atOnce } from "./load.ts";
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
const wanted: Record<Operation, [number | null, number | null]> = {
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
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  for (const row of rows) {
    const [name = "", ...cells] = row.map(String);
    console.log(
      [name.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join("  "),
    );
  }
}

/**
 * Prints the CPU time of workerd per call, including databases and objects. Other processes affect it less than the
 * throughput.
 */
export function printCpu(rates: Rates[]): void {
  const rows = rates.map(({ operation, cpuMs }) => {
    const of = (name: string) => cpuMs.get(name) ?? [];
    const cells = contenders.map((name) => (of(name).length === 0 ? "" : spread(of(name), 1)));
    const ratio = (name: string) =>
      of(name).length === 0 ? "" : (median(of(name)) / median(of("platform"))).toFixed(2);
    return [operation, ...cells, ratio("better-auth"), ratio("bare")];
  });
  console.log("\nCPU of workerd for one call, ms: median (least-most); a ratio below 1: the other needs less");
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
  console.log("\nOne operation of someone who signed in before; of a link request the attempt at its mail too");
  printTable([head, ...rows]);
}

/** Prints the median, minimum and maximum over the rounds. Ratios are calculated for each round. */
export function printThroughput(rates: Rates[], calls: number): void {
  const rounds = rates[0]?.perSecond.get("platform")?.length ?? 0;
  const rows = rates.map(({ operation, trips, perSecond }) => {
    const of = (name: string) => perSecond.get(name) ?? [];
    const own = of("platform");
    const ratio = (name: string) => {
      const others = of(name);
      return others.length === 0
        ? ""
        : spread(
            own.map((rate, at) => rate / (others[at] ?? Number.NaN)),
            2,
          );
    };
    const [beside, bare] = wanted[operation];
    return [
      operation,
      `${trips.reads}+${trips.writes}+${trips.objects} (${trips.statements})`,
      spread(own, 0),
      of("better-auth").length === 0 ? "" : spread(of("better-auth"), 0),
      spread(of("bare"), 0),
      ratio("better-auth"),
      beside ?? "",
      ratio("bare"),
      bare ?? "",
    ];
  });
  const head = [
    "",
    "reads+writes+objects (statements)",
    "platform/s",
    "better-auth/s",
    "bare/s",
    "to better-auth",
    "wanted",
    "to bare",
    "wanted",
  ];
  console.log(`\n${rounds} rounds of ${calls} calls, ${atOnce} at once, in turns: median (least-most)`);
  printTable([head, ...rows]);
}

import { addUp, type Entry, sumOf } from "../meter/tally.ts";
import { chargesOf, prices } from "./prices.ts";

export type Step = { name: string; byWorker: Map<string, Entry[]> };

const TEXT_LENGTH = 130;
const entriesOf = ({ byWorker }: Step) => addUp(...byWorker.values());

/** Shortens a statement: removes quotes and the column list of a SELECT, and truncates the rest. */
function shorten(text: string): string {
  const plain = text.replaceAll(/["`]/g, "").replaceAll(/\s+/g, " ").trim();
  const short = plain.replaceAll(/\bselect (?!1\b|exists)[^()]*? from\b/gi, "select … from");
  return short.length > TEXT_LENGTH ? `${short.slice(0, TEXT_LENGTH - 1)}…` : short;
}

const cells = (...values: (string | number)[]) => values.map((value) => String(value).padStart(8)).join("");

function printStatements({ name, byWorker }: Step): void {
  console.log(`\n${name}\n${cells("written", "read", "times")}`);
  for (const [worker, entries] of byWorker) {
    const lines = entries
      .filter(({ kind }) => !["request", "round trip", "log line"].includes(kind))
      .sort((a, b) => b.written - a.written || b.read - a.read);
    for (const { kind, name: text, calls, read, written } of lines) {
      const label = kind === "statement" ? shorten(text) : `${kind}: ${shorten(text)}`;
      console.log(`${cells(written, read, calls)}  ${worker.replace("platform-", "")}: ${label}`);
    }
  }
}

const columns = ["D1 written", "D1 read", "trips", "object rows", "object requests", "alarms", "log lines", "messages"];

function printSteps(steps: Step[]): void {
  const widths = columns.map((column) => column.length + 2);
  const line = (name: string, values: (string | number)[]) =>
    console.log(name.padEnd(38) + values.map((value, index) => String(value).padStart(widths[index] ?? 0)).join(""));
  console.log("");
  line("", columns);
  const total: Step = { name: "total", byWorker: new Map(steps.map((step) => [step.name, entriesOf(step)])) };
  for (const step of [...steps, total]) {
    const entries = entriesOf(step);
    const sum = (...kinds: Parameters<typeof sumOf>[1][]) => sumOf(entries, ...kinds);
    line(step.name, [
      sum("statement").written,
      sum("statement").read,
      sum("round trip").calls,
      sum("object row", "alarm set").written,
      sum("object call", "alarm").calls,
      sum("alarm").calls,
      sum("log line").calls,
      sum("queue message").calls,
    ]);
  }
}

/**
 * Prints the cost of a sign-in: its statements, steps and price. `cpuMs` is the CPU time of workerd, or null if it is
 * unknown. Returns the dollars of a million sign-ins.
 */
export function printCost(steps: Step[], cpuMs: number | null): number {
  for (const step of steps) printStatements(step);
  printSteps(steps);
  const all = addUp(...steps.map(entriesOf));
  const charges = chargesOf(all);
  if (cpuMs !== null) {
    charges.push({
      what: "ms CPU at most, including database and objects",
      count: cpuMs,
      dollars: cpuMs * prices.cpuMs,
    });
  }
  console.log("\na million sign-ins at list price");
  for (const { what, count, dollars } of charges) {
    console.log(`${cells(count)}  ${what.padEnd(50)} $${dollars.toFixed(2).padStart(7)}`);
  }
  const sum = charges.reduce((dollars, charge) => dollars + charge.dollars, 0);
  console.log(`${cells("")}  ${"total".padEnd(50)} $${sum.toFixed(2).padStart(7)}`);
  return sum;
}

// Measures broadcasts with the production bundles of identity and email: statements and written rows per recipient, the
// longest step and the memory, ten broadcasts at once, sign-in mail during a broadcast of 100,000 recipients
// (BENCH_RECIPIENTS changes the number), imports and public sign-ups. Fails if a figure exceeds its maximum.
import process from "node:process";
import { type BroadcastCost, type Costs, measureCosts } from "./broadcasts/cost.ts";
import { measureSignIn, prepareTen, sendAtOnce } from "./broadcasts/load.ts";
import { startProvider } from "./broadcasts/provider.ts";
import { mailWorkers, services } from "./mail/workers.ts";
import { closeConnections } from "./support/load.ts";
import { withRuntime } from "./support/runtime.ts";
import { printTable } from "./support/throughput-report.ts";

const manyRecipients = Number(process.env.BENCH_RECIPIENTS ?? 100_000);
/** The parts to measure; all by default. */
const parts = (process.env.BENCH_PARTS ?? "cost,ten,sign-in,at-once").split(",");

type Figure = { name: string; value: number; unit: string; max: number | null };

const provider = await startProvider();
const unlimited = { EMAIL_BULK_RATE_PER_SECOND: "0", EMAIL_BULK_SENDER_RATE_PER_SECOND: "0" };
const large = { EMAIL_BROADCAST_MAX_RECIPIENTS: "100000", EMAIL_COMPANY_AUTH_LIMIT: "0" };
const workers = (isMetered: boolean, settings: Record<string, string>) =>
  mailWorkers(isMetered, { ...provider.settings, ...large, ...settings });

const costFigures = ({ name, statements, longestMs, rows, seconds }: BroadcastCost): Figure[] => [
  { name: `${name}: statements for 10,000 recipients`, value: statements, unit: "", max: 1000 },
  { name: `${name}: written rows per recipient with the purge`, value: rows, unit: "", max: 14 },
  { name: `${name}: longest step`, value: longestMs / 1000, unit: "s", max: 20 },
  { name: `${name}: until handed over`, value: seconds, unit: "s", max: null },
];

function printStatements({ statements }: Costs): void {
  const byName = new Map<string, { calls: number; written: number }>();
  for (const { kind, name, calls, written } of statements) {
    if (kind !== "statement") continue;
    const sums = byName.get(name) ?? { calls: 0, written: 0 };
    byName.set(name, { calls: sums.calls + calls, written: sums.written + written });
  }
  const sorted = [...byName].sort(([, a], [, b]) => b.calls + b.written - a.calls - a.written).slice(0, 40);
  printTable([
    ["statement", "calls", "written"],
    ...sorted.map(([name, { calls, written }]) => [name.slice(0, 90), calls, written]),
  ]);
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
const figures: Figure[] = [];
const add = (name: string, value: number, unit = "", max: number | null = null) =>
  void figures.push({ name, value, unit, max });
try {
  if (parts.includes("cost"))
    await withRuntime(await workers(true, unlimited), services, async (runtime) => {
      const costs = await measureCosts(runtime, provider);
      printStatements(costs);
      figures.push(...costs.broadcasts.flatMap(costFigures));
      add("import of 10,000 rows: statements", costs.importStatements, "", 30);
      add("import of 10,000 rows", costs.importSeconds, "s", 10);
      add("public sign-up: round trips", costs.signUpTrips, "", 2);
    });
  if (parts.includes("ten"))
    await withRuntime(await workers(false, {}), services, async (runtime) =>
      add("ten broadcasts of 10,000 prepared at once", await prepareTen(runtime), "s", 300),
    );
  if (parts.includes("sign-in"))
    await withRuntime(await workers(false, {}), services, async (runtime) => {
      provider.clear();
      const { idle, busy, waiting } = await measureSignIn(runtime, provider, manyRecipients);
      add("sign-in mail while idle, p99", idle, "ms");
      add(`sign-in mail while ${waiting} recipients wait, p99`, busy, "ms", Math.min(2000, 2 * idle));
    });
  if (parts.includes("at-once"))
    await withRuntime(
      await workers(false, unlimited),
      services,
      async (runtime) => {
        provider.clear();
        const sent = await sendAtOnce(runtime, provider, manyRecipients);
        add(`${manyRecipients} recipients without a rate limit`, sent.seconds, "s");
        add("memory of the isolate meanwhile", sent.highest, "MB", 128);
        add("sign-in mail meanwhile, p99", sent.busy, "ms", 2000);
        add("recipients without a mail", sent.missing, "", 0);
        add("recipients with two mails", sent.doubled, "", 0);
      },
      0,
    );
  printTable([
    ["", "measured", "at most", ""],
    ...figures.map(({ name, value, unit, max }) => [
      name,
      `${+value.toFixed(1)} ${unit}`,
      max === null ? "" : `${+max.toFixed(1)} ${unit}`,
      max !== null && value > max ? "X" : "",
    ]),
  ]);
  if (figures.some(({ value, max }) => max !== null && value > max)) process.exitCode = 1;
} finally {
  closeConnections();
  provider.close();
}

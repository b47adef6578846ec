// Measures events, first attempts, retry runs and the purge of hosting. Prints a table.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { loadModule } from "../../scripts/support/load.ts";
import type { EmitRequest, RuleRequest, TickCost, TickRequest } from "../support/event-source/requests.ts";
import { type Platform, startIsolatedPlatform } from "../support/platform/platform.ts";
import type { BenchReceivers } from "./receivers-process.ts";

const type = "hosting.access.changed";
const secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
const day = 86_400_000;
const dueCount = 10_000;
const purgedCount = 1_000_000;
/** rows that one statement inserts */
const chunk = 10_000;
const maxDrainMs = 15 * 60_000;

const rows = await loadModule<typeof import("./webhooks/rows.ts")>(
  fileURLToPath(new URL("./webhooks/rows.ts", import.meta.url)),
);

const printResult = (label: string, figure: string) => console.log(`${label.padEnd(62)} ${figure}`);
const pause = (ms: number) => new Promise((done) => setTimeout(done, Math.max(0, ms)));
const percentile = (sorted: number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;

async function startReceivers(): Promise<{ origins: string[]; stop: () => void }> {
  const child = fork(new URL("./receivers-process.ts", import.meta.url));
  const { origins } = await new Promise<BenchReceivers>((resolve, reject) => {
    child.once("message", (message) => resolve(message as BenchReceivers));
    child.once("exit", (code) => reject(new Error(`the receivers ended with code ${code}`)));
  });
  return { origins, stop: () => void child.kill() };
}

/** Calls the event source. */
async function callEventSource<T>(platform: Platform, path: "emit" | "rules" | "tick", body: unknown): Promise<T> {
  const request = { method: "POST", body: JSON.stringify(body) };
  const response = await platform.worker("event-source").fetch(`http://localhost/event-source/${path}`, request);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const tick = (platform: Platform, cron: string) =>
  callEventSource<TickCost>(platform, "tick", { cron } satisfies TickRequest);

const createRules = (platform: Platform, urls: string[]) =>
  callEventSource<number[]>(
    platform,
    "rules",
    urls.map((url, index): RuleRequest => ({ company_id: 1000 + index, type, url, secret })),
  );

/**
 * Emits events at a constant rate for ten companies in turn. Measures the time from the event to the arrival of attempt
 * 1.
 */
async function measureLatency(platform: Platform, origins: string[], silent: boolean): Promise<void> {
  const [perSecond, seconds] = [100, 15];
  const total = perSecond * seconds;
  const urls = origins.slice(0, 10).map((origin, index) => `${origin}/${silent && index === 0 ? "never" : "50"}`);
  await createRules(platform, urls);
  await (await fetch(`${origins[0]}/latencies`)).text();
  const startedAt = Date.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < total; index++) {
    await pause(startedAt + (index * 1000) / perSecond - Date.now());
    const request: EmitRequest = { company_id: 1000 + (index % urls.length), type, ids: [randomUUID()] };
    sent.push(callEventSource(platform, "emit", request));
  }
  await Promise.all(sent);
  const achievedRate = total / ((Date.now() - startedAt) / 1000);
  const latencies: number[] = [];
  const expected = silent ? total * 0.9 : total;
  for (const end = Date.now() + 60_000; latencies.length < expected && Date.now() < end; await pause(500)) {
    latencies.push(...((await (await fetch(`${origins[0]}/latencies`)).json()) as number[]));
  }
  latencies.sort((a, b) => a - b);
  const figures = [0.5, 0.99].map((share) => `p${share * 100} ${percentile(latencies, share)} ms`).join(", ");
  printResult(
    silent ? "the same, one of ten hosts never responds: the others" : `event to first attempt, ${perSecond} events/s`,
    `${figures}; ${achievedRate.toFixed(0)}/s sent, ${latencies.length} of ${expected} arrived`,
  );
  await rows.deleteWebhookRows(platform.rows.hosting);
}

/** Measures each cron when there is no work, with 200 rules. */
async function measureIdle(platform: Platform, origins: string[]): Promise<void> {
  await createRules(platform, urlsPerRule(origins, 200));
  for (const cron of ["* * * * *", "17 * * * *"]) {
    const costs: TickCost[] = [];
    for (let index = 0; index < 20; index++) costs.push(await tick(platform, cron));
    const ms = costs.map((cost) => cost.ms).sort((a, b) => a - b);
    const calls = costs.map((cost) => cost.calls).sort((a, b) => a - b);
    printResult(
      `idle tick of "${cron}", start and finish batch included`,
      `${percentile(calls, 0.5)} D1 calls, p50 ${percentile(ms, 0.5)} ms, p99 ${percentile(ms, 0.99)} ms`,
    );
  }
  await rows.deleteWebhookRows(platform.rows.hosting);
}

const urlsPerRule = (origins: string[], rules: number): string[] =>
  Array.from({ length: rules }, (_, index) => `${origins[index % origins.length]}/50`);

/**
 * Runs the cron each minute until all deliveries are finished, except the deliveries to a first host that never
 * responds.
 */
async function measureDrain(platform: Platform, label: string, urls: string[]): Promise<void> {
  const rules = await createRules(platform, urls);
  const { hosting } = platform.rows;
  await rows.storeDue(hosting.db.$client, dueCount, rules, type);
  const silent = urls[0]?.endsWith("/never") ? new URL(urls[0]).host : "";
  const countRemaining = () => rows.countWaiting(hosting, silent);
  const startedAt = Date.now();
  const cronRuns: Promise<void>[] = [];
  for (
    let remaining = dueCount;
    remaining > 0 && Date.now() < startedAt + maxDrainMs;
    remaining = await countRemaining()
  ) {
    if (Date.now() >= startedAt + cronRuns.length * 60_000) cronRuns.push(platform.runCron());
    await pause(1000);
  }
  const ms = Date.now() - startedAt;
  const remaining = await countRemaining();
  await Promise.all(cronRuns);
  const done = dueCount - (await rows.countOfHost(hosting, silent)) - remaining;
  const figure = `${(ms / 60_000).toFixed(2)} minutes, ${cronRuns.length} ticks, ${((done / ms) * 1000).toFixed(0)}/s`;
  printResult(label, remaining === 0 ? figure : `${figure}; ${remaining} LEFT`);
  await rows.deleteWebhookRows(platform.rows.hosting);
}

/**
 * Measures the purge of old events and as many finished deliveries. Each delivery has one attempt, which is deleted
 * with it.
 */
async function measurePurge(platform: Platform): Promise<void> {
  const old = Date.now() - 30 * day;
  const { hosting } = platform.rows;
  for (let from = 1; from <= purgedCount / 2; from += chunk) {
    await rows.storeOld(hosting.db.$client, { from, to: from + chunk - 1 }, old, type);
  }
  const { ms, calls } = await tick(platform, "17 * * * *");
  const remaining = await rows.countOld(hosting);
  const deleted = purgedCount - remaining;
  printResult(
    `purge of ${purgedCount} rows, half of them with an attempt`,
    `${((deleted / ms) * 1000).toFixed(0)} rows/s, ${calls} D1 calls, ${(ms / 1000).toFixed(1)} s${remaining > 0 ? `; ${remaining} LEFT` : ""}`,
  );
}

const selectedPart = process.argv[3];
const receivers = await startReceivers();
const { origins } = receivers;
const platform = await startIsolatedPlatform(
  { hosting: { ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" } },
  { withEventSource: true },
);
const load = () =>
  `${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")} on ${availableParallelism()} processors`;
const ruleUrls = urlsPerRule(origins, 200);
const parts: Record<string, () => Promise<void>> = {
  latency: () => measureLatency(platform, origins, false),
  "latency-silent": () => measureLatency(platform, origins, true),
  idle: () => measureIdle(platform, origins),
  drain: () => measureDrain(platform, `${dueCount} due, 200 rules, 50 hosts, response in 50 ms`, ruleUrls),
  silent: () =>
    measureDrain(
      platform,
      "the same, one of the hosts never responds: the others",
      ruleUrls.map((url) => (url.startsWith(`${origins[0]}/`) ? `${origins[0]}/never` : url)),
    ),
  single: () => measureDrain(platform, `${dueCount} due, one rule`, [`${origins[0]}/50`]),
  purge: () => measurePurge(platform),
};
try {
  console.log(`load before: ${load()}\n`);
  for (const [name, measure] of Object.entries(parts))
    if (selectedPart === undefined || selectedPart === name) await measure();
  console.log(`\nload after: ${load()}`);
} finally {
  await platform.close();
  receivers.stop();
}

// Measures events, first attempts, retry runs and the purge of hosting. Prints a table.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { loadModule } from "../../scripts/support/load.ts";
import type { EmitRequest, RuleRequest, TickCost, TickRequest } from "../support/event-source/requests.ts";
import { type Platform, startOwnPlatform } from "../support/platform/platform.ts";
import type { BenchReceivers } from "./receivers-process.ts";

const type = "hosting.access.changed";
const secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
const day = 86_400_000;
const due = 10_000;
const purged = 1_000_000;
/** rows that one statement inserts */
const chunk = 10_000;
const longestDrain = 15 * 60_000;

const rows = await loadModule<typeof import("./webhooks/rows.ts")>(
  fileURLToPath(new URL("./webhooks/rows.ts", import.meta.url)),
);

const note = (what: string, figure: string) => console.log(`${what.padEnd(62)} ${figure}`);
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
async function ask<T>(platform: Platform, path: "emit" | "rules" | "tick", body: unknown): Promise<T> {
  const request = { method: "POST", body: JSON.stringify(body) };
  const response = await platform.worker("event-source").fetch(`http://localhost/event-source/${path}`, request);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const tick = (platform: Platform, cron: string) => ask<TickCost>(platform, "tick", { cron } satisfies TickRequest);

const makeRules = (platform: Platform, urls: string[]) =>
  ask<number[]>(
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
  await makeRules(platform, urls);
  await (await fetch(`${origins[0]}/latencies`)).text();
  const startedAt = Date.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < total; index++) {
    await pause(startedAt + (index * 1000) / perSecond - Date.now());
    const request: EmitRequest = { company_id: 1000 + (index % urls.length), type, ids: [randomUUID()] };
    sent.push(ask(platform, "emit", request));
  }
  await Promise.all(sent);
  const reached = total / ((Date.now() - startedAt) / 1000);
  const latencies: number[] = [];
  const expected = silent ? total * 0.9 : total;
  for (const end = Date.now() + 60_000; latencies.length < expected && Date.now() < end; await pause(500)) {
    latencies.push(...((await (await fetch(`${origins[0]}/latencies`)).json()) as number[]));
  }
  latencies.sort((a, b) => a - b);
  const figures = [0.5, 0.99].map((share) => `p${share * 100} ${percentile(latencies, share)} ms`).join(", ");
  note(
    silent ? "the same, one of ten hosts never answers: the others" : `event to first attempt, ${perSecond} events/s`,
    `${figures}; ${reached.toFixed(0)}/s reached, ${latencies.length} of ${expected} came`,
  );
  await rows.forget(platform.rows.hosting);
}

/** Measures each cron when there is no work, with 200 rules. */
async function measureIdle(platform: Platform, origins: string[]): Promise<void> {
  await makeRules(platform, spread(origins, 200));
  for (const cron of ["* * * * *", "17 * * * *"]) {
    const costs: TickCost[] = [];
    for (let index = 0; index < 20; index++) costs.push(await tick(platform, cron));
    const ms = costs.map((cost) => cost.ms).sort((a, b) => a - b);
    const calls = costs.map((cost) => cost.calls).sort((a, b) => a - b);
    note(
      `idle tick of "${cron}", start and finish batch included`,
      `${percentile(calls, 0.5)} D1 calls, p50 ${percentile(ms, 0.5)} ms, p99 ${percentile(ms, 0.99)} ms`,
    );
  }
  await rows.forget(platform.rows.hosting);
}

const spread = (origins: string[], rules: number): string[] =>
  Array.from({ length: rules }, (_, index) => `${origins[index % origins.length]}/50`);

/**
 * Runs the cron each minute until all deliveries are finished, except the deliveries to a first host that never
 * responds.
 */
async function measureDrain(platform: Platform, what: string, urls: string[]): Promise<void> {
  const rules = await makeRules(platform, urls);
  const { hosting } = platform.rows;
  await rows.storeDue(hosting.db.$client, due, rules, type);
  const silent = urls[0]?.endsWith("/never") ? new URL(urls[0]).host : "";
  const countLeft = () => rows.countWaiting(hosting, silent);
  const startedAt = Date.now();
  const rings: Promise<void>[] = [];
  for (let left = due; left > 0 && Date.now() < startedAt + longestDrain; left = await countLeft()) {
    if (Date.now() >= startedAt + rings.length * 60_000) rings.push(platform.runCron());
    await pause(1000);
  }
  const ms = Date.now() - startedAt;
  const left = await countLeft();
  await Promise.all(rings);
  const done = due - (await rows.countOfHost(hosting, silent)) - left;
  const figure = `${(ms / 60_000).toFixed(2)} minutes, ${rings.length} ticks, ${((done / ms) * 1000).toFixed(0)}/s`;
  note(what, left === 0 ? figure : `${figure}; ${left} LEFT`);
  await rows.forget(platform.rows.hosting);
}

/**
 * Measures the purge of old events and as many finished deliveries. Each delivery has one attempt, which is deleted
 * with it.
 */
async function measurePurge(platform: Platform): Promise<void> {
  const old = Date.now() - 30 * day;
  const { hosting } = platform.rows;
  for (let from = 1; from <= purged / 2; from += chunk) {
    await rows.storeOld(hosting.db.$client, { from, to: from + chunk - 1 }, old, type);
  }
  const { ms, calls } = await tick(platform, "17 * * * *");
  const left = await rows.countOld(hosting);
  const gone = purged - left;
  note(
    `purge of ${purged} rows, half of them with an attempt`,
    `${((gone / ms) * 1000).toFixed(0)} rows/s, ${calls} D1 calls, ${(ms / 1000).toFixed(1)} s${left > 0 ? `; ${left} LEFT` : ""}`,
  );
}

const only = process.argv[3];
const receivers = await startReceivers();
const { origins } = receivers;
const platform = await startOwnPlatform(
  { hosting: { ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" } },
  { withEventSource: true },
);
const load = () =>
  `${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")} on ${availableParallelism()} processors`;
const spreadOut = spread(origins, 200);
const parts: Record<string, () => Promise<void>> = {
  latency: () => measureLatency(platform, origins, false),
  "latency-silent": () => measureLatency(platform, origins, true),
  idle: () => measureIdle(platform, origins),
  drain: () => measureDrain(platform, `${due} due, 200 rules, 50 hosts, answers in 50 ms`, spreadOut),
  silent: () =>
    measureDrain(
      platform,
      "the same, one of the hosts never answers: the others",
      spreadOut.map((url) => (url.startsWith(`${origins[0]}/`) ? `${origins[0]}/never` : url)),
    ),
  single: () => measureDrain(platform, `${due} due, one rule`, [`${origins[0]}/50`]),
  purge: () => measurePurge(platform),
};
try {
  console.log(`load before: ${load()}\n`);
  for (const [name, measure] of Object.entries(parts)) if (only === undefined || only === name) await measure();
  console.log(`\nload after: ${load()}`);
} finally {
  await platform.close();
  receivers.stop();
}

// Measures the throughput of the hot paths with production bundles in one workerd, without the edge. Compares identity,
// better-auth's magic link, and a bare Worker that makes as many calls to D1 and Durable Objects as identity. They
// alternate in each round. A separate run counts the cost of each operation. Prints tables and never fails because of
// times.
import { loadavg } from "node:os";
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { addUp, type Entry } from "./meter/tally.ts";
import { installBetterAuth } from "./support/better-auth.ts";
import {
  bareAt,
  betterAuthAt,
  type Contender,
  type Group,
  type Operation,
  operations,
  platformAt,
  tripsOf,
} from "./support/contenders.ts";
import { workerdCpuMs } from "./support/cpu.ts";
import { closeConnections } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { type Counted, printCosts, printCpu, printThroughput, type Rates } from "./support/throughput-report.ts";

const rounds = 11;
const peoplePerRound = 40;
const minute = 60_000;
/** maximum duration of all rounds */
const maxDurationMs = 150_000;
const unlimitedRate = "1000000/min";
const secrets = await makeSecrets();
const settings = {
  ...changeableSettings.identity,
  ...secrets.identity,
  JWT_ISSUER: "http://localhost:5173/identity",
  AUTH_RATE_LIMIT_MAGIC_LINK: unlimitedRate,
  AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: unlimitedRate,
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: unlimitedRate,
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: unlimitedRate,
  AUTH_RATE_LIMIT_TOKEN_REFRESH: unlimitedRate,
};

/** Returns the Workers: identity and better-auth with separate databases, the mail sink, and the bare Worker. */
async function workers(isMetered: boolean) {
  const mails = { serviceBindings: { MAIL: "mail-sink" } };
  return [
    await serviceWorker("identity", { settings, isMetered, services: { EMAIL: "mail-sink" } }),
    await benchWorker(
      "better-auth",
      "better-auth/worker.mjs",
      { ...mails, d1Databases: { DB: "better-auth" }, compatibilityFlags: ["nodejs_compat"] },
      isMetered,
    ),
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
    await benchWorker("bare", "bare/worker.ts", {
      ...mails,
      d1Databases: { DB: "bare" },
      durableObjects: { COUNTER: { className: "Counter", useSQLite: true } },
    }),
  ];
}

/** Creates the tables and the seed rows, and returns the contenders. */
async function prepare(runtime: Runtime): Promise<{ platform: Contender; betterAuth: Contender; bareUrl: string }> {
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  const identity = await runtime.database("DB", "platform-identity");
  await identity.batch(seed.identity.map((text) => identity.prepare(text)));
  const bare = await runtime.database("DB", "bare");
  await bare.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)");
  const [sink, betterAuth] = [await runtime.url("mail-sink"), await runtime.url("better-auth")];
  const migrated = await fetch(`${betterAuth}/migrate`);
  if (!migrated.ok) throw new Error(`better-auth was not migrated: ${await migrated.text()}`);
  return {
    platform: platformAt(await runtime.url("platform-identity"), sink),
    betterAuth: betterAuthAt(betterAuth, sink),
    bareUrl: await runtime.url("bare"),
  };
}

/** Returns the calls of each operation of a returning user to the runtime, by contender. */
async function countOperations(runtime: Runtime): Promise<Counted[]> {
  const { platform, betterAuth } = await prepare(runtime);
  const meters = await openMeters(runtime, ["platform-identity", "better-auth"]);
  const counted = new Map<string, Counted>();
  const ends: Entry[][] = [];
  const endWindows = async (ms: number) => {
    await meters.shift(ms);
    ends.push((await meters.take()).get("platform-identity") ?? []);
  };
  for (const [pass, isCounted] of [false, true].entries()) {
    await endWindows(pass * 120 * minute);
    ends.length = 0;
    for (const [index, operation] of operations.entries()) {
      // Each operation starts in a new rate limit window, but within the lifetime of the access token.
      await endWindows(pass * 120 * minute + index * 4 * minute);
      for (const [worker, contender] of [
        ["platform-identity", platform],
        ["better-auth", betterAuth],
      ] as const) {
        const result = await contender.run(operation, { people: [0], firstAddress: 0 });
        const entries = (await meters.take()).get(worker) ?? [];
        if (isCounted && result)
          counted.set(`${contender.name} ${operation}`, { name: contender.name, operation, entries });
      }
    }
  }
  await endWindows(300 * minute);
  return [...counted.values(), { name: "platform", operation: "ends of windows", entries: addUp(...ends) }];
}

async function measureRates(runtime: Runtime, counted: Counted[]): Promise<Rates[]> {
  const { platform, betterAuth, bareUrl } = await prepare(runtime);
  const entriesOf = (operation: Operation): Entry[] =>
    counted.find((candidate) => candidate.name === "platform" && candidate.operation === operation)?.entries ?? [];
  const trips = Object.fromEntries(
    operations.map((operation) => [operation, tripsOf(operation, entriesOf(operation))]),
  ) as Parameters<typeof bareAt>[1];
  const contenders = [platform, betterAuth, bareAt(bareUrl, trips)];
  const rates: Rates[] = operations.map((operation) => ({
    operation,
    trips: trips[operation],
    perSecond: new Map(),
    cpuMs: new Map(),
  }));
  const runRound = async (round: number, isMeasured: boolean): Promise<void> => {
    const people = Array.from({ length: peoplePerRound }, (_, index) => round * peoplePerRound + index);
    // Measured sign-ins use new network addresses.
    const group: Group = { people, firstAddress: (round + (isMeasured ? rounds : 0)) * peoplePerRound };
    // Each contender is the first one in some rounds.
    const order = [...contenders.slice(round % 3), ...contenders.slice(0, round % 3)];
    for (const { operation, perSecond, cpuMs } of rates) {
      for (const { name, run } of order) {
        const before = workerdCpuMs();
        const result = name === "bare" && !isMeasured ? null : await run(operation, group);
        if (!result || !isMeasured) continue;
        const after = workerdCpuMs();
        perSecond.set(name, [...(perSecond.get(name) ?? []), result.perSecond]);
        if (before === null || after === null) continue;
        cpuMs.set(name, [...(cpuMs.get(name) ?? []), (after - before) / peoplePerRound]);
      }
    }
  };
  // All users first sign in once; then each round measures some of them. There are fewer rounds if the time is short.
  const startedAt = Date.now();
  let ready = 0;
  for (; ready < rounds && Date.now() - startedAt < maxDurationMs / 3; ready++) await runRound(ready, false);
  for (let round = 0; round < ready && Date.now() - startedAt < maxDurationMs; round++) await runRound(round, true);
  return rates;
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
await installBetterAuth();
try {
  let counted: Counted[] = [];
  await withRuntime(await workers(true), ["identity"], async (runtime) => {
    counted = await countOperations(runtime);
  });
  printCosts(counted);
  await withRuntime(await workers(false), ["identity"], async (runtime) => {
    const rates = await measureRates(runtime, counted);
    printThroughput(rates, peoplePerRound);
    printCpu(rates);
  });
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`,
  );
} finally {
  closeConnections();
}

// Measures the cost of one sign-in of a returning user by counting each statement in the runtime. The sign-in includes
// the link request and its mail by SMTP, the consumption of the link, three refreshes, the logout, the ends of rate
// limit windows, and the jobs that roll up and purge its rows.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { readSignInMail, startInbox } from "../support/mail/maildev.ts";
import { type Entry, subtract } from "./meter/tally.ts";
import { printCost, type Step } from "./support/cost-report.ts";
import { workerdCpuMs } from "./support/cpu.ts";
import { type Call, closeConnections, send } from "./support/load.ts";
import { addUpByWorker, openMeters } from "./support/meters.ts";
import { redirectTo, signInCalls, type Tokens, tokenOf } from "./support/person.ts";
import { type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Longer than every retention. */
const beyondRetention = 500 * day;
const services = ["identity", "email"] as const;
/** Other users sign in on each day, so that the counts of a day exist regardless of the measured user. */
const people = { firstDay: 1, bothDays: 2, measured: 3 };

const emailOf = (person: number) => `person${person}@example.com`;

const directory = await mkdtemp(join(tmpdir(), "bench-cost-"));
const [smtpPort, mailPort] = [await findFreePort(), await findFreePort()];
const inbox = await startInbox({ smtp: smtpPort, web: mailPort }, directory);
const secrets = await makeSecrets();
const derived = portSettings({ port: await findFreePort(), smtpPort, shellPort: null });
const workerOf = (service: (typeof services)[number]) =>
  serviceWorker(service, {
    settings: { ...changeableSettings[service], ...secrets[service], ...derived[service] },
    isMetered: true,
  });

/** Writes the cost for the plan of `npm run deploy`. */
async function recordCost(dollars: number): Promise<void> {
  const cost = {
    measured_on: new Date().toISOString().slice(0, 10),
    dollars_per_million_sign_ins: Math.round(dollars),
  };
  await writeFile(new URL("../../scripts/deploy/expected-cost.json", import.meta.url), `${JSON.stringify(cost)}\n`);
}

async function run(runtime: Runtime): Promise<void> {
  const seededUsers = Object.values(people).map((person) => ({
    email: emailOf(person),
    firstName: `Person ${person}`,
    isOwner: false,
    isStaff: false,
  }));
  const seed = await seedStatements({
    ...demo,
    users: [...demo.users, ...seededUsers],
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  for (const service of services) {
    const d1 = await runtime.database("DB", `platform-${service}`);
    await d1.batch(seed[service].map((text) => d1.prepare(text)));
  }
  const meters = await openMeters(
    runtime,
    services.map((service) => `platform-${service}`),
  );
  const calls = signInCalls(await runtime.url("platform-identity"));
  const mailsTo = new Map<number, number>();
  let clockShift = 0;
  /** Advances the clocks and runs the alarms that are due. */
  const advanceClock = async (ms: number): Promise<void> => {
    clockShift += ms;
    await meters.shift(clockShift);
  };

  const call = async <T>(request: Call): Promise<T> => JSON.parse((await send(request)).text) as T;

  /** Signs a user in and out. Calls `onStep` after each step, and waits for the step's background work. */
  async function signIn(person: number, onStep: (name: string) => Promise<void> = meters.settle): Promise<void> {
    const email = emailOf(person);
    const mails = (mailsTo.get(person) ?? 0) + 1;
    mailsTo.set(person, mails);
    await call(calls.requestLink(person, email));
    const { link } = readSignInMail(await inbox.waitForMail(email, mails));
    await onStep("link request and its mail");
    await advanceClock(2 * minute);
    await onStep("ends of windows");
    let tokens = await call<Tokens>(calls.consume(person, tokenOf(link)));
    await onStep("consume");
    for (let index = 1; index <= 3; index++) {
      await advanceClock(15 * minute);
      await onStep("ends of windows");
      tokens = await call<Tokens>(calls.refresh(person, tokens));
      await onStep("three refreshes");
    }
    await advanceClock(10 * minute);
    await onStep("ends of windows");
    await call(calls.logout(person, tokens));
    await onStep("logout");
    await advanceClock(2 * hour);
    await onStep("ends of windows");
  }

  async function runCrons(...crons: string[]): Promise<void> {
    for (const service of services) {
      for (const cron of crons) {
        // Each run gets its own cron time, because a lock accepts each time only once.
        await advanceClock(minute);
        await runtime.runCron(service, cron, new Date(Date.now() + clockShift));
      }
    }
    await meters.settle();
  }

  /** Advances the clocks to the next midnight. */
  const advanceToNextDay = () => advanceClock(day - ((Date.now() + clockShift) % day));

  /**
   * Signs users in on two days, runs `measuredStep` on the second day, and then purges all rows. Returns the cost of the
   * second day's roll-up and of the purge.
   */
  async function runTwoDays(measuredStep: () => Promise<void>): Promise<Map<string, Entry[]>> {
    await advanceToNextDay();
    await signIn(people.firstDay);
    await signIn(people.bothDays);
    await signIn(people.measured);
    await runCrons("* * * * *");
    await advanceToNextDay();
    await signIn(people.bothDays);
    await measuredStep();
    await meters.take();
    await runCrons("* * * * *");
    await advanceClock(beyondRetention);
    await runCrons("* * * * *", "17 * * * *");
    return meters.take();
  }

  // The first round proves the email addresses. The cost of the jobs for the measured sign-in is the difference between
  // the rounds with and without it.
  await runTwoDays(async () => {});
  const baseline = await runTwoDays(async () => {});
  const steps = new Map<string, Map<string, Entry[]>>();
  let cpuMs: number | null = null;
  const jobs = await runTwoDays(async () => {
    await meters.take();
    const before = workerdCpuMs();
    await signIn(people.measured, async (name) => {
      steps.set(name, addUpByWorker(steps.get(name) ?? new Map(), await meters.take()));
    });
    const after = workerdCpuMs();
    cpuMs = before === null || after === null ? null : after - before;
  });
  const additional = [...jobs].map(([name, entries]) => [name, subtract(entries, baseline.get(name) ?? [])] as const);
  steps.set("roll-up and purge, per additional sign-in", new Map(additional));
  const dollars = printCost(
    [...steps].map(([name, byWorker]): Step => ({ name, byWorker })),
    cpuMs,
  );
  if (process.argv.includes("--record")) await recordCost(dollars);
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  await withRuntime(await Promise.all(services.map(workerOf)), services, run);
} finally {
  closeConnections();
  await inbox.stop();
  await rm(directory, { recursive: true, force: true });
}

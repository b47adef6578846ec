import { type Entry, sumOf } from "../meter/tally.ts";
import { send } from "../support/load.ts";
import { openMeters } from "../support/meters.ts";
import type { Runtime } from "../support/runtime.ts";
import { insertMembers, openCompany } from "./company.ts";
import type { Provider } from "./provider.ts";

/** Number of recipients of the measured broadcasts. */
export const recipients = 10_000;

const DAY_MS = 86_400_000;
/** Longer than every retention. */
const BEYOND_RETENTION_MS = 500 * DAY_MS;
const MAX_SEND_MS = 15 * 60_000;
const MAX_PURGES = 60;

/** The cost of a broadcast: statements until the provider has all mails, longest queue batch, rows until the purge. */
export type BroadcastCost = { name: string; statements: number; longestMs: number; rows: number; seconds: number };
export type Costs = {
  broadcasts: BroadcastCost[];
  importStatements: number;
  importSeconds: number;
  signUpTrips: number;
  statements: Entry[];
};

const workers = ["platform-email", "platform-identity"];

/** Measures an import, a public sign-up, and a broadcast to a newsletter and to members. The runtime is metered. */
export async function measureCosts(runtime: Runtime, provider: Provider): Promise<Costs> {
  const company = await openCompany(runtime);
  await insertMembers(runtime, recipients);
  const meters = await openMeters(runtime, workers);
  const taken = async () => [...(await meters.take()).values()].flat();
  const { id: list, public_key: key } = await company.createList("News");
  await taken();
  const importedAt = performance.now();
  await company.importSubscribers(list, 1, recipients + 1);
  const importSeconds = (performance.now() - importedAt) / 1000;
  const importStatements = sumOf(await taken(), "statement").calls;

  const signUp = (email: string) => ({
    url: `${company.url}/api/v1/public/newsletters/${key}/subscribe`,
    method: "POST" as const,
    headers: { "content-type": "application/json", "cf-connecting-ip": "198.18.0.9" },
    body: JSON.stringify({ email }),
  });
  await send(signUp("first@example.com"));
  await taken();
  await send(signUp("second@example.com"));
  const signUpEntries = (await meters.takeNow()).get("platform-email") ?? [];

  const statements: Entry[] = [];
  const broadcasts: BroadcastCost[] = [];
  let clockShift = 0;
  for (const [name, audience, expected] of [
    ["to a newsletter", { mode: "newsletter", list_id: list }, recipients],
    // The owner is a member too.
    ["to members", { mode: "filter", roles: ["member"] }, recipients],
  ] as const) {
    provider.clear();
    const id = await company.createBroadcast(audience);
    await taken();
    await meters.takeDurations();
    const startedAt = performance.now();
    await company.sendBroadcast(id);
    const entries: Entry[] = [];
    for (const end = Date.now() + MAX_SEND_MS; provider.arrivals.size < expected; ) {
      if (Date.now() > end) throw new Error(`${provider.arrivals.size} of ${expected} mails arrived`);
      await new Promise((done) => setTimeout(done, 50));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    entries.push(...[...(await meters.takeNow()).values()].flat());
    const longestMs = Math.max(...(await meters.takeDurations()));
    const sent = await company.waitFor(id, ["sent"], MAX_SEND_MS);
    if (sent.counts?.sent !== expected) throw new Error(`counts: ${JSON.stringify(sent.counts)}`);
    let { written } = sumOf(entries, "statement");
    written += sumOf(await taken(), "statement").written;
    clockShift += BEYOND_RETENTION_MS;
    await meters.shift(clockShift);
    for (let purge = 0; purge < MAX_PURGES; purge++) {
      // Each run gets its own cron time, because a lock accepts each time only once.
      clockShift += 60_000;
      await meters.shift(clockShift);
      await runtime.runCron("email", "* * * * *", new Date(Date.now() + clockShift));
      await runtime.runCron("email", "17 * * * *", new Date(Date.now() + clockShift));
      const purged = sumOf(await taken(), "statement").written;
      written += purged;
      if (purged < 100) break;
    }
    statements.push(...entries);
    broadcasts.push({
      name,
      statements: sumOf(entries, "statement").calls,
      longestMs,
      rows: written / expected,
      seconds,
    });
    clockShift = 0;
    await meters.shift(0);
  }
  return {
    broadcasts,
    importStatements,
    importSeconds,
    signUpTrips: sumOf(signUpEntries, "round trip").calls,
    statements,
  };
}

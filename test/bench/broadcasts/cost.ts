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

/**
 * The cost of a broadcast: statements until the provider has all mails, longest queue batch, and written rows per recipient
 * including the purge.
 */
export type BroadcastCost = {
  name: string;
  statements: number;
  longestMs: number;
  rows: number;
  seconds: number;
};
export type Costs = {
  broadcasts: BroadcastCost[];
  importStatements: number;
  importSeconds: number;
  signUpTrips: number;
  statements: Entry[];
};

const workers = ["platform-email", "platform-identity"];

/** Purges all messages and returns the statements of the jobs. The clocks stay ahead. */
async function purgeAll(runtime: Runtime, meters: Awaited<ReturnType<typeof openMeters>>): Promise<Entry[]> {
  const entries: Entry[] = [];
  let clockShift = BEYOND_RETENTION_MS;
  for (let purge = 0; purge < MAX_PURGES; purge++) {
    // Each run gets its own cron time, because a lock accepts each time only once.
    clockShift += 60_000;
    await meters.shift(clockShift);
    for (const cron of ["* * * * *", "17 * * * *"])
      await runtime.runCron("email", cron, new Date(Date.now() + clockShift));
    const purged = [...(await meters.take()).values()].flat();
    entries.push(...purged);
    if (sumOf(purged, "statement").written < 100) return entries;
  }
  throw new Error("the purge does not end");
}

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
  for (const [name, audience] of [
    ["to members", { mode: "filter", roles: ["member"] }],
    ["to a newsletter", { mode: "newsletter", list_id: list }],
  ] as const) {
    provider.clear();
    const id = await company.createBroadcast(audience);
    await taken();
    await meters.takeDurations();
    const startedAt = performance.now();
    await company.sendBroadcast(id);
    const entries: Entry[] = [];
    for (const end = Date.now() + MAX_SEND_MS; provider.arrivals.size < recipients; ) {
      if (Date.now() > end) throw new Error(`${provider.arrivals.size} of ${recipients} mails arrived`);
      await new Promise((done) => setTimeout(done, 50));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    entries.push(...[...(await meters.takeNow()).values()].flat());
    const longestMs = Math.max(...(await meters.takeDurations()));
    const sent = await company.waitFor(id, ["sent"], MAX_SEND_MS);
    if (sent.counts?.sent !== recipients) throw new Error(`counts: ${JSON.stringify(sent.counts)}`);
    const { written } = sumOf([...entries, ...(await taken())], "statement");
    statements.push(...entries);
    broadcasts.push({
      name,
      statements: sumOf(entries, "statement").calls,
      longestMs,
      rows: written / recipients,
      seconds,
    });
  }
  // Purges the messages of all broadcasts at once, because the clocks cannot be set back.
  const purged = await purgeAll(runtime, meters);
  statements.push(...purged);
  const purgedRows = sumOf(purged, "statement").written / recipients / broadcasts.length;
  return {
    broadcasts: broadcasts.map((broadcast) => ({ ...broadcast, rows: broadcast.rows + purgedRows })),
    importStatements,
    importSeconds,
    signUpTrips: sumOf(signUpEntries, "round trip").calls,
    statements,
  };
}

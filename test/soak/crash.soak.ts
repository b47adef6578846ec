// `npm run soak` kills all Workers repeatedly under load and checks that no accepted link or event is lost.
import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { messages } from "../../db/email/schema";
import { action_deliveries, event_log } from "../../db/hosting/schema";
import { type KillablePlatform, openKillablePlatform } from "../support/platform/killable-platform";
import { startReceivers } from "../support/webhooks/receivers";
import type { RecordedCall } from "../support/webhooks/receivers-process";
import { type Accepted, startLoad } from "./load";
import { startMailSink, type TakenMail } from "./mail-sink";

const KILLS = Number(process.env.SOAK_KILLS ?? 34);
const LINKS = Number(process.env.SOAK_LINKS ?? 2000);
/** No kill happens after this many ms. The kills then end, and the test fails if the machine was too slow for all kills. */
const KILLING_MS = Number(process.env.SOAK_MINUTES ?? 20) * 60_000;
/**
 * Range of the time between a start and the next kill. Crons run as with `npm start`: soon after the start, and then
 * each minute.
 */
const UP_MS = { min: 7000, max: 13_000 };
const FIRST_CRON_MS = 5000;
/** The lifetime of links in the shipped settings. */
const LINK_LIFE_MS = 15 * 60_000;
/** Maximum wait after the load stops, for leases to end, the next sweep and retries of webhooks. */
const REST_MS = 4 * 60_000;

const type = "hosting.access.changed";
const companies = [301, 302, 303, 304];

/** The times of a kill and of the first response after it (ms since the epoch). */
type Kill = { from: number; until: number };

let platform: KillablePlatform;
let sink: { mails: TakenMail[]; close: () => Promise<void> };
let stopReceivers = () => {};
let control = "";
const keys: string[] = [];

beforeAll(async () => {
  const { receivers, stop } = await startReceivers();
  stopReceivers = stop;
  control = receivers.control;
  const many = "100000/min";
  platform = await openKillablePlatform({
    identity: {
      AUTH_RATE_LIMIT_MAGIC_LINK: many,
      AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: many,
      AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: many,
    },
    email: { EMAIL_COMPANY_AUTH_LIMIT: "0" },
    hosting: { ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" },
  });
  sink = await startMailSink(platform.smtpPort);
  await platform.start();
  const rules = companies.map((company_id, index) => {
    const key = randomUUID();
    keys.push(key);
    const url = `${receivers.origins[index] ?? ""}/hook/slow-20/${key}`;
    return { company_id, type, url, secret: "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh" };
  });
  await platform.createRules(rules);
});
afterAll(async () => {
  await platform?.close();
  await sink?.close();
  stopReceivers();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs the crons as they run after a start: first after FIRST_CRON_MS, then each minute, until `stop` is called. */
function runCrons(): { stop: () => void } {
  // A cron that a kill interrupts returns no response.
  const runCron = () => void platform.runCron().catch(() => {});
  let interval: ReturnType<typeof setInterval> | undefined;
  const first = setTimeout(() => {
    runCron();
    interval = setInterval(runCron, 60_000);
  }, FIRST_CRON_MS);
  return {
    stop: () => {
      clearTimeout(first);
      clearInterval(interval);
    },
  };
}

async function killRepeatedly(): Promise<Kill[]> {
  const kills: Kill[] = [];
  const end = Date.now() + KILLING_MS;
  for (let count = 1; count <= KILLS && Date.now() < end; count++) {
    const crons = runCrons();
    await pause(UP_MS.min + Math.random() * (UP_MS.max - UP_MS.min));
    crons.stop();
    const from = await platform.kill();
    await platform.start();
    kills.push({ from, until: Date.now() });
    console.log(`kill ${count} of ${KILLS}: back after ${Date.now() - from} ms`);
  }
  return kills;
}

/** Returns the first arrival of each event (ms since the epoch). */
async function firstArrivals(): Promise<Map<string, number>> {
  const arrivals = new Map<string, number>();
  for (const key of keys) {
    const calls = (await (await fetch(`${control}/recorded/${key}`)).json()) as RecordedCall[];
    for (const { headers, at } of calls) {
      const id = headers["webhook-id"] ?? "";
      if (!arrivals.has(id)) arrivals.set(id, at);
    }
  }
  return arrivals;
}

/** Waits until all accepted links and events have arrived, for at most REST_MS. */
async function waitForRest({ links, events }: Accepted): Promise<void> {
  const crons = runCrons();
  const end = Date.now() + REST_MS;
  for (;;) {
    const deliveredAddresses = new Set(sink.mails.map(({ to }) => to));
    const arrived = await firstArrivals();
    const hasAllArrived =
      [...links.keys()].every((to) => deliveredAddresses.has(to)) && [...events.keys()].every((id) => arrived.has(id));
    if (hasAllArrived || Date.now() > end) break;
    await pause(2000);
  }
  crons.stop();
}

/**
 * Returns figures about the arrival of events. The wait counts from the acceptance or, if a kill came in between, from
 * the restart.
 */
function eventFigures({ events }: Accepted, arrivals: ReadonlyMap<string, number>, kills: readonly Kill[]) {
  const waits = [...events].flatMap(([id, at]) => {
    const arrivedAt = arrivals.get(id);
    if (arrivedAt === undefined) return [];
    const kill = kills.find(({ from }) => at <= from && from <= arrivedAt);
    return [{ wait: arrivedAt - (kill?.until ?? at), isHit: kill !== undefined }];
  });
  const within10s = waits.filter(({ wait }) => wait <= 10_000).length;
  return {
    accepted: events.size,
    lost: events.size - waits.length,
    within10s: within10s / Math.max(1, events.size),
    hitByKills: waits.filter(({ isHit }) => isHit).length,
    slowestSeconds: Math.round(Math.max(0, ...waits.map(({ wait }) => wait)) / 1000),
  };
}

/**
 * Returns figures about the arrival of links. A second mail to an address is allowed only if it has the
 * message id and date of the first and a kill happened between the two.
 */
function linkFigures({ links }: Accepted, kills: readonly Kill[]) {
  const byAddress = new Map<string, TakenMail[]>();
  for (const mail of sink.mails) byAddress.set(mail.to, [...(byAddress.get(mail.to) ?? []), mail]);
  const waits = [...links].map(([to, at]) => (byAddress.get(to)?.[0]?.at ?? Number.POSITIVE_INFINITY) - at);
  const duplicates = [...byAddress.values()].filter((mails) => mails.length > 1);
  const isAllowed = (mails: readonly TakenMail[]) =>
    mails.slice(1).every((mail, index) => {
      const previous = mails[index];
      const isSame = mail.messageId === previous?.messageId && mail.date === previous.date;
      return isSame && kills.some(({ from }) => previous.at - 1000 <= from && from <= mail.at);
    });
  const arrived = waits.filter((wait) => wait <= LINK_LIFE_MS);
  return {
    accepted: links.size,
    arrivedLate: waits.length - arrived.length,
    allowedDuplicates: duplicates.filter(isAllowed).length,
    otherDuplicates: duplicates.filter((mails) => !isAllowed(mails)).length,
    slowestSeconds: Math.round(Math.max(0, ...arrived) / 1000),
  };
}

/** Returns the number of messages by status, and how many messages arrived although their status is `expired`. */
async function messageFigures() {
  const rows = await platform.email
    .select({ id: messages.id, status: messages.status, code: messages.last_error_code })
    .from(messages);
  const arrived = new Set(sink.mails.map(({ messageId }) => /<([0-9a-f]{32})@/.exec(messageId)?.[1]));
  const counts: Record<string, number> = {};
  for (const { status, code } of rows) {
    const name = status === "sent" ? status : `${status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  const arrivedDespiteExpiry = rows.filter(({ id, status }) => status === "expired" && arrived.has(id)).length;
  return { counts, arrivedDespiteExpiry };
}

it(`loses no accepted link or event over ${KILLS} consecutive kills`, async () => {
  const startedAt = Date.now();
  const load = startLoad(platform, { companies, type, maxLinks: LINKS });
  const isUnderLoad = () => load.accepted.links.size > 0 && load.accepted.events.size > 0;
  await expect.poll(isUnderLoad, { timeout: 30_000, message: [...load.refusals.keys()].join() }).toBe(true);
  const kills = await killRepeatedly();
  const crons = runCrons();
  await expect
    .poll(() => load.accepted.links.size, { timeout: 5 * 60_000, interval: 500 })
    .toBeGreaterThanOrEqual(LINKS);
  crons.stop();
  await load.stop();
  await waitForRest(load.accepted);

  const stored = await platform.hosting
    .select({ id: event_log.id })
    .from(event_log)
    .where(eq(event_log.event_type, type));
  const { status, kind } = action_deliveries;
  const undelivered = await platform.hosting
    .select({ id: action_deliveries.event_id, status })
    .from(action_deliveries)
    .where(and(eq(kind, "webhook"), eq(action_deliveries.event_type, type)));
  const links = linkFigures(load.accepted, kills);
  const events = eventFigures(load.accepted, await firstArrivals(), kills);
  const messageCounts = await messageFigures();
  const open = undelivered.filter((row) => row.status !== "delivered").length;
  const minutes = Math.round((Date.now() - startedAt) / 6000) / 10;
  const refusals = Object.fromEntries(load.refusals);
  const figures = {
    kills: kills.length,
    minutes,
    refusals,
    links,
    events: { ...events, stored: stored.length, open },
    ...messageCounts,
  };
  console.log(JSON.stringify(figures, null, 2));

  expect(kills).toHaveLength(KILLS);
  expect(links.accepted).toBeGreaterThanOrEqual(LINKS);
  expect(links).toMatchObject({ arrivedLate: 0, otherDuplicates: 0 });
  expect(messageCounts.arrivedDespiteExpiry).toBe(0);
  expect(events.lost).toBe(0);
  expect(events.within10s).toBeGreaterThanOrEqual(0.95);
});

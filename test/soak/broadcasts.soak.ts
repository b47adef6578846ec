// `npm run soak` kills all Workers repeatedly while three companies send broadcasts. Nobody may receive two copies, and only
// recipients whose outcome is unknown may receive none.
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { broadcast_recipients, broadcasts, messages } from "../../db/email/schema";
import { type KillablePlatform, openKillablePlatform } from "../support/platform/killable-platform";
import { startMailSink, type TakenMail } from "./mail-sink";

const KILLS = Number(process.env.SOAK_KILLS ?? 20);
const RECIPIENTS = Number(process.env.SOAK_RECIPIENTS ?? 2000);
/** Range of the time between a start and the next kill. */
const UP_MS = { min: 4000, max: 12_000 };
/** Long enough for leases to end, for sweeps, and for the rest at the configured rate. */
const REST_MS = 15 * 60_000;
const COMPANY_RATE = 20;

type Company = { id: number; token: string; list: number; sent: number[] };
type Broadcast = { id: number; state: string; last_error_code: string; counts: Record<string, number> };

let platform: KillablePlatform;
let sink: { mails: TakenMail[]; close: () => Promise<void> };
const companies: Company[] = [];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  platform = await openKillablePlatform({
    identity: { JWT_ACCESS_TOKEN_LIFETIME: "1h" },
    email: {
      EMAIL_PLATFORM_COMPANY_IDS: "1,2,3,4",
      EMAIL_BULK_RATE_PER_SECOND: String(COMPANY_RATE),
      EMAIL_BULK_SENDER_RATE_PER_SECOND: "0",
      EMAIL_SEND_LEASE_SECONDS: "30",
    },
  });
  sink = await startMailSink(platform.smtpPort);
  await platform.start();
  for (const name of ["Aster", "Birch", "Cedar"]) companies.push(await createCompany(name));
});
afterAll(async () => {
  await platform?.close();
  await sink?.close();
});

/** Creates a company with an owner and a newsletter of RECIPIENTS subscribers. */
async function createCompany(name: string): Promise<Company> {
  const flags = { name, owner_email: `owner@${name}.example`, redirect_origin: platform.origin };
  const answer = await fetch(`${platform.url}/identity/api/v1/management/create_company`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify({ flags }),
  });
  const text = await answer.text();
  const link = new URL(/https?:[^\s"]+verify\?[^\s"]+/.exec(text)?.[0] ?? "");
  const { token: linkToken, company_id } = Object.fromEntries(link.searchParams);
  const verified = await fetch(`${platform.url}/identity/api/v1/magic-link/verify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: linkToken, company_id: Number(company_id) }),
  });
  const { access_token: token } = (await verified.json()) as { access_token: string };
  const company = { id: Number(company_id), token, list: 0, sent: [] };
  const list = await call<{ id: number }>(company, "POST", "newsletters", { name: `${name} news` });
  const rows = Array.from({ length: RECIPIENTS }, (_, index) => `reader${index}@${name}.example`);
  await call(company, "POST", `newsletters/${list.id}/subscribers/import`, {
    csv: rows.join("\n"),
    mode: "consented",
  });
  return { ...company, list: list.id };
}

/** Calls the API of email. Throws when the response is an error or a kill interrupts the call. */
async function call<T>({ token }: Pick<Company, "token">, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${platform.url}/email/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** Creates and sends a broadcast to the company's list. */
async function sendBroadcast(company: Company): Promise<void> {
  const { id } = await call<Broadcast>(company, "POST", "broadcasts", {
    name: "News",
    source_key: "barebone.product-update",
    language: "en",
    audience: { mode: "newsletter", list_id: company.list },
  });
  company.sent.push(id);
  await call(company, "POST", `broadcasts/${id}/send`);
}

/** Runs the minute's cron every 15 s until `stop` is called. A cron that a kill interrupts returns no response. */
function runCrons(): { stop: () => void } {
  const interval = setInterval(() => void platform.runCron().catch(() => {}), 15_000);
  return { stop: () => clearInterval(interval) };
}

async function killRepeatedly(): Promise<number> {
  let kills = 0;
  while (kills < KILLS) {
    const crons = runCrons();
    void platform.runCron().catch(() => {});
    await pause(UP_MS.min + Math.random() * (UP_MS.max - UP_MS.min));
    crons.stop();
    await platform.kill();
    await platform.start();
    kills += 1;
    console.log(`kill ${kills} of ${KILLS}: ${sink.mails.length} mails so far`);
  }
  return kills;
}

async function waitUntilSent(company: Company, id: number): Promise<Broadcast> {
  for (const end = Date.now() + REST_MS; Date.now() < end; await pause(2000)) {
    const broadcast = await call<Broadcast>(company, "GET", `broadcasts/${id}`);
    if (["sent", "failed"].includes(broadcast.state)) return broadcast;
  }
  throw new Error(`broadcast ${id}: ${JSON.stringify(await call<Broadcast>(company, "GET", `broadcasts/${id}`))}`);
}

const isUnknown = (code: string | null) => code === "delivery_unknown";

it(`sends each broadcast to everybody once, over ${KILLS} kills`, async () => {
  for (const company of companies) await sendBroadcast(company);
  const kills = await killRepeatedly();
  const crons = runCrons();
  const figures: object[] = [];
  for (const company of companies) {
    for (const id of company.sent) {
      const broadcast = await waitUntilSent(company, id);
      const rows = await platform.email
        .select({ id: messages.id, status: messages.status, code: messages.last_error_code })
        .from(messages)
        .where(eq(messages.broadcast_id, id));
      const waiting = await platform.email
        .select({ hash: broadcast_recipients.email_hmac })
        .from(broadcast_recipients)
        .where(eq(broadcast_recipients.broadcast_id, id));
      const byStatus: Record<string, number> = {};
      for (const { status } of rows) byStatus[status] = (byStatus[status] ?? 0) + 1;
      const unknown = rows.filter(({ code }) => isUnknown(code)).length;
      figures.push({ company: company.id, state: broadcast.state, counts: broadcast.counts, byStatus, unknown });

      const { total, ...parts } = broadcast.counts;
      expect(broadcast.state).toBe("sent");
      expect(rows).toHaveLength(RECIPIENTS);
      expect(waiting).toHaveLength(0);
      expect(total).toBe(RECIPIENTS);
      expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total);
      expect(broadcast.counts).toMatchObject({
        pending: 0,
        queued: 0,
        sent: byStatus.sent ?? 0,
        failed: byStatus.failed ?? 0,
      });
      expect(rows.filter(({ status, code }) => status !== "sent" && !isUnknown(code))).toEqual([]);
    }
  }
  crons.stop();
  const addresses = new Map<string, number>();
  for (const { to } of sink.mails.filter((mail) => mail.to.startsWith("reader")))
    addresses.set(to, (addresses.get(to) ?? 0) + 1);
  console.log(JSON.stringify({ kills, mails: sink.mails.length, addresses: addresses.size, figures }, null, 2));

  expect(kills).toBe(KILLS);
  expect([...addresses].filter(([, mails]) => mails > 1)).toEqual([]);
  expect((await platform.email.select({ state: broadcasts.state }).from(broadcasts)).map(({ state }) => state)).toEqual(
    companies.flatMap(({ sent }) => sent.map(() => "sent")),
  );
  const sentRows = await platform.email.select({ id: messages.id }).from(messages).where(eq(messages.status, "sent"));
  const arrivedIds = new Set(sink.mails.map(({ messageId }) => /<([0-9a-f]{32})@/.exec(messageId)?.[1] ?? ""));
  expect(sentRows.filter(({ id }) => !arrivedIds.has(id))).toEqual([]);
});

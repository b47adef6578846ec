import { eventKeys } from "../../../../db/email/conditions/event-log";
import { errorName } from "../../../kit/log";
import { DAY_MS, iso, SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import {
  type Complaints,
  endPauseNotices,
  findComplaints,
  findPauseNotices,
  forgiveComplaints,
  pauseStatements,
  storeWarning,
} from "./complaints.store";

/** Complaints divided by delivered or sent bulk mail of the last 7 days. Mailbox providers reject senders above 0.3 %. */
const WARN_RATE = 0.001;
const PAUSE_RATE = 0.003;
/** With fewer mails, a single complaint would exceed the rates. */
const MIN_SENT = 500;
const WINDOW_DAYS = 7;
const NOTIFY_TIMEOUT_MS = 5 * SECOND_MS;

/** Returns the first UTC day that counts, as `YYYY-MM-DD`. */
const firstDay = (now: number) => new Date(now - (WINDOW_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);

/** Returns the share of bulk mail that was reported. Providers that report no deliveries leave only the sent mail to count. */
const rateOf = ({ complained, delivered, sent }: Complaints) =>
  complained / Math.max(1, delivered > 0 ? delivered : sent);

/**
 * Pauses the bulk lane of companies whose mail is reported too often until staff resume it, and notifies their owners by an
 * event and a mail. Logs a warning before that, once a day. Called every minute; an interrupted call is continued by the next.
 */
export async function checkComplaints(services: EmailServices): Promise<void> {
  const { platformDb, clock, log } = services;
  const now = clock.now();
  const { complaints, notices } = await platformDb.batch({
    complaints: findComplaints({ day: firstDay(now) }),
    notices: findPauseNotices(),
  });
  const counted = complaints.rows.filter((row) => row.sent >= MIN_SENT && rateOf(row) >= WARN_RATE);
  const excessive = counted.filter((row) => rateOf(row) >= PAUSE_RATE);
  for (const row of excessive) await pause(services, row, now);
  for (const row of counted.filter((each) => !excessive.includes(each) && each.warned_at <= now - DAY_MS)) {
    log.warn("complaints about bulk mail", { company_id: row.company_id, rate: rateOf(row) });
    await services.dbOf(row.company_id).run(storeWarning({ companyId: row.company_id, now }));
  }
  const waiting = excessive.length > 0 ? await platformDb.all(findPauseNotices()) : notices.rows;
  if (waiting.length > 0) await notifyOwners(services, waiting);
}

async function pause({ keys, webhooks, dbOf, log }: EmailServices, row: Complaints, now: number): Promise<void> {
  const { company_id, complained, sent } = row;
  const data = { lane: "bulk", reason: "complaint_rate", complaints: complained, sent, paused_at: iso(now) };
  const type = "email.lane.paused";
  const sealed = await sealedEvent(await keys(), { type, companyId: company_id, data, now });
  const event = { ...sealed, id: sealed.event_id, company_id };
  await batchWithEvents(webhooks, dbOf(company_id), pauseStatements(row, event, now), eventKeys([event]));
  log.warn("lane paused", { lane: "bulk", company_id, reason: "complaint_rate", rate: rateOf(row) });
}

type Notice = { company_id: number; notice_at: number; complained: number; sent: number };

/** Passes notices to identity, which knows the owners and their languages. When identity is unavailable, the next run retries. */
async function notifyOwners({ identity, platformDb, log }: EmailServices, waiting: readonly Notice[]): Promise<void> {
  const notices = waiting.map(({ company_id, notice_at, complained, sent }) => ({
    company_id,
    notice_at,
    complaints: complained,
    sent,
  }));
  try {
    await withTimeout(identity.rpc.notifyOfPausedBulk({ notices }), NOTIFY_TIMEOUT_MS);
  } catch (error) {
    log.warn("owners were not notified", { notices: notices.length, error: errorName(error) });
    return;
  }
  await platformDb.run(endPauseNotices({ notices }));
}

/** Returns the statement with which a resume of the bulk lane forgives the complaints until `now` (unix ms). */
export const forgivenUntil = (companyId: number, now: number) => forgiveComplaints({ companyId, day: firstDay(now) });

import { open } from "../../kit/crypto/seal";
import { uuid } from "../../kit/ids";
import { type Counts, everyMinute, type Job, type JobRun } from "../../kit/jobs/job";
import { errorName } from "../../kit/log";
import { readRetryAfter } from "../../kit/net/retry-after";
import { insertMailFailedEvent } from "../audit/event-log.store";
import type { IdentityServices } from "../services";
import {
  claimMail,
  countDueMail,
  erasureKind,
  expireMail,
  findDueMail,
  finishMail,
  type MailRow,
  postponeMail,
} from "./mail.store";

/** Waits after attempt 1, 2, 3, 4; later ones are the sweep's (details 2.3.1). */
const waitsMs = [2_000, 6_000, 18_000, 54_000];
const leaseMs = 30_000;
/** Attempts of the sweep beside each other. */
const atOnce = 5;

/** How rows of a kind are handed over. Refusals of `finalStatuses` are changed by no repetition. */
type Handover = { path: string; finalStatuses: ReadonlySet<number>; sweepWaitMs: number };

// Document 2, retry guidance.
const mail: Handover = {
  path: "/api/v1/send",
  finalStatuses: new Set([400, 401, 403, 405, 410, 413, 422]),
  sweepWaitMs: 60_000,
};

// What a person asked to be erased is not given up over a key that is missing or wrong for a while (details 8).
const erasure: Handover = {
  path: "/api/v1/privacy/erase",
  finalStatuses: new Set([400, 405, 410, 413, 422]),
  sweepWaitMs: 600_000,
};

function handoverOf(row: MailRow): Handover {
  return row.kind === erasureKind ? erasure : mail;
}

/** What one call of the email service came to. `retryAfterMs`: the wait the service asked for. */
type Outcome =
  | { kind: "sent" }
  | { kind: "final"; error: string }
  | { kind: "retry"; error: string; retryAfterMs?: number };

/** How the email service is called; null while its place or the key for it is not known. */
export function emailCaller({ settings, email }: Pick<IdentityServices, "settings" | "email">) {
  const { emailServiceKey: key, emailServiceUrl: url } = settings;
  if (key === "" || (url === null && email === null)) return null;
  return (path: string, init: RequestInit) =>
    email !== null && url === null ? email.fetch(`http://email${path}`, init) : fetch(`${url}${path}`, init);
}

async function callEmailService(services: IdentityServices, row: MailRow, body: string): Promise<Outcome> {
  const { settings } = services;
  const { path, finalStatuses } = handoverOf(row);
  const call = emailCaller(services);
  if (call === null) {
    return { kind: finalStatuses.has(401) ? "final" : "retry", error: "email_not_configured" };
  }
  const init = {
    method: "POST",
    headers: {
      authorization: `Bearer ${settings.emailServiceKey}`,
      "content-type": "application/json",
      "x-request-id": row.request_id,
    },
    body,
    redirect: "manual" as const,
    signal: AbortSignal.timeout(settings.emailTimeoutMs),
  };
  try {
    const response = await call(path, init);
    await response.body?.cancel();
    if (response.ok) return { kind: "sent" };
    const error = `http_${response.status}`;
    if (finalStatuses.has(response.status)) return { kind: "final", error };
    const after = readRetryAfter(response.headers.get("retry-after"), services.clock.now());
    return { kind: "retry", error, retryAfterMs: Math.min(after ?? 0, 3600) * 1000 };
  } catch (error) {
    return { kind: "retry", error: errorName(error) };
  }
}

/**
 * One attempt at one mail row: claim, call, settle. Killed at any line and repeated, the row is sent again with the same
 * idempotency key, so the email service accepts it once. A row that is not due or not ours is left alone.
 * `fence` is that of a run.
 */
export async function attemptMail(services: IdentityServices, id: string, fence: number | null = null): Promise<void> {
  const { db, clock, log } = services;
  const lease = uuid();
  const now = clock.now();
  const row = await db.first<MailRow>(claimMail.bind(db, id, now, lease, now + leaseMs, fence));
  if (!row?.sealed) return;
  const body = await open(row.sealed, (await services.keys()).sealing, `identity:mail_outbox:${id}`);
  const outcome = await callEmailService(services, row, body);
  const settledAt = clock.now();
  if (outcome.kind === "retry") {
    const wait = Math.max(waitsMs[row.attempts - 1] ?? handoverOf(row).sweepWaitMs, outcome.retryAfterMs ?? 0);
    await db.run(postponeMail.bind(db, id, lease, settledAt + wait, outcome.error));
    log.warn("mail postponed", {
      mail_id: id,
      kind: row.kind,
      attempt: row.attempts,
      reason: outcome.error,
      wait_ms: wait,
    });
    if (row.attempts <= waitsMs.length && settledAt + wait < row.deadline_at) {
      const message = { v: 1 as const, kind: "mail" as const, id, request_id: row.request_id };
      await services.queue.send(message, { delaySeconds: Math.ceil(wait / 1000) });
    }
    return;
  }
  const error = outcome.kind === "final" ? outcome.error : null;
  await db.batch([
    finishMail.bind(db, id, lease, outcome.kind === "sent" ? "sent" : "failed", error),
    insertMailFailedEvent.bind(db, id, settledAt),
  ]);
  if (error) log.error("mail failed", { mail_id: id, kind: row.kind, attempt: row.attempts, reason: error });
}

/** Ends rows past their deadline with their event, and attempts the due ones until the run has to stop. */
async function retryMail(services: IdentityServices, run: JobRun): Promise<Counts> {
  const { db, clock, log, settings } = services;
  const now = clock.now();
  const due = await db.all<{ id: string; deadline_at: number }>(findDueMail.bind(db, now));
  const ended = due.filter((row) => row.deadline_at <= now).map((row) => row.id);
  let expired = 0;
  if (ended.length > 0) {
    const [gone] = await db.batch([
      expireMail.bind(db, now, JSON.stringify(ended), run.fence),
      ...ended.map((id) => insertMailFailedEvent.bind(db, id, now)),
    ]);
    expired = gone?.results.length ?? 0;
    log.error("mail expired before the email service took it", { count: expired });
  }
  const waiting = due.filter((row) => row.deadline_at > now).map((row) => row.id);
  let attempted = 0;
  for (let index = 0; index < waiting.length; index += atOnce) {
    if (clock.now() + settings.emailTimeoutMs >= run.stopAt) break;
    const part = waiting.slice(index, index + atOnce);
    await Promise.all(part.map((id) => attemptMail(services, id, run.fence)));
    attempted += part.length;
    run.report({ mails_attempted: attempted, mails_expired: expired });
  }
  return { mails_attempted: attempted, mails_expired: expired };
}

/** Each minute, what the queue did not hand over (details 2.3.1, 13). */
export const retryMailJob: Job<IdentityServices> = {
  name: "retry_mail",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  lockSeconds: 120,
  counts: ["mails_attempted", "mails_expired"],
  scheduledFlags: {},
  run: retryMail,
  summarize: ({ mails_attempted, mails_expired }) => `attempted=${mails_attempted} expired=${mails_expired}`,
  preview: async ({ db, clock }) => {
    const row = await db.first<{ due: number }>(countDueMail.bind(db, clock.now()));
    return { summary: `would attempt=${row?.due ?? 0}`, counts: { mails_attempted: row?.due ?? 0 } };
  },
};

import type { MailRow } from "../../../db/identity/schema";
import { open, seal } from "../../kit/crypto/seal";
import { type Bound, followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { type WaitPolicy, waitAfter } from "../../kit/outbox/wait";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../kit/time";
import type { IdentityServices } from "../services";
import { postToEmailService } from "./email-service";
import {
  claimMail,
  finishMail,
  insertMail,
  insertMailFailedEvent,
  insertMailOfChange,
  postponeMail,
} from "./mail.store";

/** Waits after attempt 1, 2, 3, 4; later ones are the sweep's. */
const WAITS_MS = [2, 6, 18, 54].map((seconds) => seconds * SECOND_MS);
const LEASE_MS = 30 * SECOND_MS;
/** The email service may be away for this long before an erasure is given up. */
const ERASURE_LIFE_MS = 7 * DAY_MS;

/** How rows of a kind are handed over. Refusals of `finalStatuses` are changed by no repetition. */
type Handover = { path: string; finalStatuses: ReadonlySet<number>; sweepWaitMs: number };

const mails: Handover = {
  path: "/api/v1/send",
  finalStatuses: new Set([400, 401, 403, 405, 410, 413, 422]),
  sweepWaitMs: MINUTE_MS,
};

// What a person asked to be erased is not given up over a key that is missing or wrong for a while.
const erasures: Handover = {
  path: "/api/v1/privacy/erase",
  finalStatuses: new Set([400, 405, 410, 413, 422]),
  sweepWaitMs: 10 * MINUTE_MS,
};

const handoverOf = ({ kind }: MailRow): Handover => (kind === "erasure" ? erasures : mails);

/** A mail as the email service takes it. */
type Mail = {
  company_id: number;
  template_key: string;
  idempotency_key: string;
  to: { email: string; user_id?: number }[];
  variables: Record<string, string>;
  language?: string;
  ttl_seconds?: number;
  use_platform_sender?: boolean;
};

/** A mail for the outbox; `lifeMs`: how long the email service may be away before it is given up. */
export type NewMail = { id: string; kind: "magic_link" | "membership"; mail: Mail; now: number; lifeMs: number };

/** The sealed row of a mail, for a batch. */
export function queueMail(services: IdentityServices, { mail, ...row }: NewMail): Promise<Bound> {
  return queue(services, { ...row, key: mail.idempotency_key, body: mail }, insertMail);
}

/** As queueMail, right behind the statement that the mail reports: nothing when that one changed no row. */
export function queueMailOfChange(services: IdentityServices, { mail, ...row }: NewMail): Promise<Bound> {
  return queue(services, { ...row, key: mail.idempotency_key, body: mail }, insertMailOfChange);
}

/** The row that asks the email service to erase an address of a company, right behind the statement that it follows. */
export function queueErasure(
  services: IdentityServices,
  { id, ...body }: { id: string; company_id: number; email: string },
): Promise<Bound> {
  const row = { id, kind: "erasure" as const, key: `erasure-${id}`, lifeMs: ERASURE_LIFE_MS };
  return queue(services, { ...row, body, now: services.clock.now() }, insertMailOfChange);
}

async function queue(
  services: IdentityServices,
  row: { id: string; kind: MailRow["kind"]; key: string; body: { company_id: number }; now: number; lifeMs: number },
  insert: typeof insertMail,
): Promise<Bound> {
  const { id, kind, key, body, now, lifeMs } = row;
  const sealed = await seal(JSON.stringify(body), (await services.keys()).sealing, sealedPlace(id));
  const { requestId } = services;
  return insert({ id, companyId: body.company_id, kind, key, sealed, now, deadline: now + lifeMs, requestId });
}

const sealedPlace = (id: string) => `identity:mail_outbox:${id}`;

/**
 * One attempt at one mail row: claim, call, settle. Killed at any line and repeated, the row is sent again with the same
 * idempotency key, so the email service accepts it once. A row that is not due or not ours is left alone.
 * `fence` is that of a run.
 */
export async function attemptMail(services: IdentityServices, id: string, fence: number | null = null): Promise<void> {
  const { db, clock, log } = services;
  const lease = uuid();
  const now = clock.now();
  const row = await db.first(claimMail({ id, now, lease, leaseEnd: now + LEASE_MS, fence }));
  if (!row?.sealed) return;
  const body = await open(row.sealed, (await services.keys()).sealing, sealedPlace(id));
  const { path, finalStatuses } = handoverOf(row);
  const outcome = await postToEmailService(services, { path, body, requestId: row.request_id, finalStatuses });
  if (outcome.kind === "retry") return postpone(services, row, lease, outcome);
  const error = outcome.kind === "final" ? outcome.error : null;
  await db.batch({
    finished: followedBy(
      finishMail({ id, lease, state: outcome.kind === "sent" ? "sent" : "failed", error }),
      insertMailFailedEvent({ id, eventId: uuid(), now: clock.now() }),
    ),
  });
  if (error) log.error("mail failed", { mail_id: id, kind: row.kind, attempt: row.attempts, reason: error });
}

/** Gives a row back until its next attempt, and rings for that while it is not the sweep's. */
async function postpone(
  services: IdentityServices,
  row: MailRow,
  lease: string,
  outcome: { error: string; retryAfterMs?: number },
): Promise<void> {
  const { db, clock, log, queue } = services;
  const { id, kind, attempts } = row;
  const policy: WaitPolicy = { waits: WAITS_MS, later: handoverOf(row).sweepWaitMs, asked: "least" };
  const wait = waitAfter(policy, attempts, outcome.retryAfterMs);
  const nextAt = clock.now() + wait;
  await db.run(postponeMail({ id, lease, nextAt, error: outcome.error }));
  log.warn("mail postponed", { mail_id: id, kind, attempt: attempts, reason: outcome.error, wait_ms: wait });
  if (attempts > WAITS_MS.length || nextAt >= row.deadline_at) return;
  await queue.send(
    { v: 1, kind: "mail", id, request_id: row.request_id },
    { delaySeconds: Math.ceil(wait / SECOND_MS) },
  );
}

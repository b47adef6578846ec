import type { NewsletterRow } from "../../../../db/email/rows";
import { dbOfScope } from "../../../kit/db/db";
import { MINUTE_MS, SECOND_MS } from "../../../kit/time";
import { releaseSend, reserveEachSend } from "../../intake/limits/limits";
import { hashesOf, hashPeople } from "../../intake/submission/people";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import {
  type ConfirmationRecipient,
  handOverConfirmations,
  prepareConfirmation,
  requireConfirmationSender,
  selectConfirmationFacts,
} from "./confirmation";
import { findDueList, findDueLists, findUnmailed, scheduleNext, skipUnmailed } from "./confirmation-steps.store";
import { enqueueListSteps } from "./list-steps";
import { deleteNextSubscribers, findDeletedNewsletters } from "./newsletter.store";
import { openContact } from "./subscriber-seal";

/** Confirmation mails per step. */
const STEP_SIZE = 100;
/** Wait before the next try without a usable sender, with a paused lane, or without the library. */
const BLOCKED_MS = 5 * MINUTE_MS;
/** After this time, the queue message of a step is considered lost. */
const LATE_MS = 60 * SECOND_MS;

/**
 * Sends the next confirmation mails to imported subscribers of a newsletter. Every batch selects only subscribers without a mail,
 * so repeated and parallel steps send nobody two mails.
 */
export async function sendNextConfirmations(
  services: EmailServices,
  companyId: number | null,
  id: number,
): Promise<void> {
  const now = services.clock.now();
  const db = dbOfScope(services, companyId);
  const list = await db.first(findDueList({ id, now }));
  if (list === null) return;
  const waitMs = await sendBatch(services, list, now);
  if (waitMs === null) return;
  await enqueueListSteps(services, "confirmations", [list], { delaySeconds: Math.ceil(waitMs / SECOND_MS) });
}

/** Sends one batch. Returns the wait before the next one in ms, or null when no subscriber waits. */
async function sendBatch(services: EmailServices, list: NewsletterRow, now: number): Promise<number | null> {
  const { id: listId, company_id: companyId } = list;
  const db = services.dbOf(companyId);
  const { rows, ...facts } = await db.batch({
    ...selectConfirmationFacts(list),
    rows: findUnmailed({ listId, limit: STEP_SIZE }),
  });
  if (rows.rows.length === 0) {
    await db.run(scheduleNext({ id: listId, at: now }));
    return null;
  }
  const keys = await services.keys();
  const opened = await Promise.all(rows.rows.map(async (row) => ({ row, ...(await openContact(row, keys)) })));
  const readable = opened.flatMap(({ row, email, firstName }) => (email === null ? [] : [{ row, email, firstName }]));
  const hashed = await hashPeople(
    readable.map(({ email }) => email),
    keys,
  );
  try {
    const sender = await requireConfirmationSender(services, companyId, facts);
    const people = readable.map(({ email }, index) => {
      const { address, person } = hashesOf(hashed, email);
      return { hash: address, person, counter: person, path: `subscribers[${index}]` };
    });
    const input = { companyId, lane: "transactional", separateEvent: null, people, lock: null, now } as const;
    const reserved = await reserveEachSend(services, input);
    // Only a request with a lock can find it held.
    if (reserved === "locked") throw new Problem("service_unavailable");
    const admitted = readable.filter((_, index) => reserved.rejections[index] === null);
    const recipients = admitted.map(({ row, email, firstName }): ConfirmationRecipient => {
      const { person } = hashesOf(hashed, email);
      return { email, hashes: hashed.hashes.get(email) ?? [], person, firstName, language: row.language, source: null };
    });
    const waits = reserved.rejections.flatMap((rejection) =>
      rejection === null ? [] : [rejection.retry_after * SECOND_MS],
    );
    const waitMs = waits.length === 0 ? 0 : Math.max(SECOND_MS, Math.min(...waits));
    const ids = [...admitted, ...opened.filter(({ email }) => email === null)].map(({ row }) => row.id);
    let sent = 0;
    try {
      const prepared = await prepareConfirmation(services, { list, facts, sender, recipients, now });
      const { outcomes } = await db.batch({
        ...prepared.statements,
        skipped: skipUnmailed({ ids, listId, now }),
        next: scheduleNext({ id: listId, at: now + waitMs }),
      });
      sent = await handOverConfirmations(services, companyId, prepared, outcomes.rows);
    } finally {
      if (sent === 0) await releaseSend(services, companyId, reserved.reservation);
    }
    return rows.rows.length === STEP_SIZE || waitMs > 0 ? waitMs : null;
  } catch (error) {
    // The sender is missing, the lane is paused or the library is loading. The subscribers wait until the purge deletes them.
    if (!(error instanceof Problem)) throw error;
    await db.run(scheduleNext({ id: listId, at: now + BLOCKED_MS }));
    return BLOCKED_MS;
  }
}

/** Deletes the next subscribers of a deleted newsletter, and enqueues another step when some are left. */
export async function removeNextSubscribers(
  services: EmailServices,
  companyId: number | null,
  id: number,
): Promise<void> {
  const hasMore = await deleteNextSubscribers(dbOfScope(services, companyId), id);
  if (hasMore) await enqueueListSteps(services, "remove_subscribers", [{ id, company_id: companyId ?? 0 }]);
}

/** Enqueues the steps of newsletters whose queue message was lost. Called by the sweep every minute. */
export async function enqueueLateListSteps(services: EmailServices): Promise<void> {
  const before = services.clock.now() - LATE_MS;
  const { due, deleted } = await services.platformDb.batch({
    due: findDueLists({ before }),
    deleted: findDeletedNewsletters({ before }),
  });
  if (due.rows.length > 0) await enqueueListSteps(services, "confirmations", due.rows);
  if (deleted.rows.length > 0) await enqueueListSteps(services, "remove_subscribers", deleted.rows);
}

import type { NewEvent } from "../../../db/email/rows";
import type { messages, unsubscribes } from "../../../db/email/schema";
import { type Db, type SqlValue, sql } from "../../kit/db";
import type { ActionsContext } from "../../kit/webhooks/context";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { type Actor, insertAudit } from "./audit.store";
import type { Unsubscribe, UnsubscribeSource } from "./unsubscribe";

const insertOnce = sql(
  `INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
   ON CONFLICT (company_id, email_hmac, category) DO NOTHING`,
);

// In front of the row: only its creation is an event.
const noteFirst = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, data, envelope, subject_hmac, created_at)
   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
    WHERE NOT EXISTS (SELECT 1 FROM unsubscribes WHERE company_id = ?2 AND email_hmac = ?6 AND category = ?8)
   ON CONFLICT DO NOTHING`,
);

const companyName = sql(`SELECT name FROM company_profiles WHERE company_id = ?1`);

const latestMessage = sql(
  `SELECT id, company_id, to_masked, to_enc, to_user_id FROM messages WHERE company_id = ?1 AND email_hmac = ?2 ORDER BY accepted_at DESC LIMIT 1`,
);

/** A stored message to the address of a token. */
export type AddressedMessage = Pick<
  typeof messages.$inferSelect,
  "id" | "company_id" | "to_masked" | "to_enc" | "to_user_id"
>;

/** Whom the page speaks of, as far as it is known: the company's name and the latest message to the address. */
export type UnsubscribeScope = { companyName: string | null; message: AddressedMessage | null };

/** One round trip; the token holds a hash only, so the address is that of a stored message. */
export async function findUnsubscribeScope(db: Db, unsubscribe: Unsubscribe): Promise<UnsubscribeScope> {
  const { companyId, emailHmac } = unsubscribe;
  const [profile, message] = await db.batch<[{ name: string }, AddressedMessage]>([
    companyName.bind(db, companyId),
    latestMessage.bind(db, companyId, emailHmac),
  ]);
  return {
    companyName: profile.results[0]?.name ?? null,
    message: message.results[0] ?? null,
  };
}

/** Stores the unsubscribe with its event; a repeat changes nothing and tells nobody (email details 8.2). */
export async function insertUnsubscribe(
  context: ActionsContext,
  unsubscribe: Unsubscribe,
  source: UnsubscribeSource,
  { event, now }: { event: Omit<NewEvent, "id">; now: number },
): Promise<void> {
  const { db } = context;
  const { companyId, emailHmac, category } = unsubscribe;
  const { event_id, type, data, envelope } = event;
  const statements = [
    noteFirst.bind(db, event_id, companyId, type, data, envelope, emailHmac, now, category),
    insertOnce.bind(db, companyId, emailHmac, category, source, now),
  ];
  await batchWithEvents(context, statements, [event_id]);
}

/** A row of the list, with the masked address of the latest stored message. */
export type UnsubscribeListRow = Omit<typeof unsubscribes.$inferSelect, "email_hmac"> & { email_masked: string | null };

const listRows = (filter: string) => `SELECT u.id, u.company_id, u.category, u.source, u.created_at,
    (SELECT m.to_masked FROM messages m WHERE m.company_id = u.company_id AND m.email_hmac = u.email_hmac
     ORDER BY m.accepted_at DESC LIMIT 1) AS email_masked
  FROM unsubscribes u WHERE u.company_id = ?1 AND u.id < ?2 ${filter} ORDER BY u.id DESC LIMIT ?3`;
const pageOfCompany = sql(listRows(""));
const pageOfAddress = sql(listRows("AND u.email_hmac IN (SELECT value FROM json_each(?4))"));

const rowOf = sql("SELECT * FROM unsubscribes WHERE id = ?1");

const remove = sql("DELETE FROM unsubscribes WHERE id = ?1 AND company_id = ?2");

export type UnsubscribeRow = typeof unsubscribes.$inferSelect;

/** Newest first, `limit + 1` rows for the cursor; `hashes` (null: all) keeps one address. */
export function listUnsubscribes(
  db: Db,
  companyId: number,
  page: { beforeId: number; limit: number; hashes: readonly string[] | null },
): Promise<UnsubscribeListRow[]> {
  const values: SqlValue[] = [companyId, page.beforeId, page.limit + 1];
  return db.all<UnsubscribeListRow>(
    page.hashes === null
      ? pageOfCompany.bind(db, ...values)
      : pageOfAddress.bind(db, ...values, JSON.stringify(page.hashes)),
  );
}

/** The row of an id, or null. */
export function findUnsubscribe(db: Db, id: number): Promise<UnsubscribeRow | null> {
  return db.first<UnsubscribeRow>(rowOf.bind(db, id));
}

/** Undoes an unsubscribe with its audit row (email details 8.2); false when it was undone before. */
export async function deleteUnsubscribe(db: Db, row: UnsubscribeRow, actor: Actor, now: number): Promise<boolean> {
  const { id, company_id, category, source } = row;
  const changes = JSON.stringify({ category, source });
  const [removed] = await db.batch([
    remove.bind(db, id, company_id),
    insertAudit.bind(
      db,
      now,
      actor.kind,
      actor.userId,
      company_id,
      "unsubscribe.deleted",
      `unsubscribe:${id}`,
      changes,
    ),
  ]);
  return (removed?.meta.changes ?? 0) > 0;
}

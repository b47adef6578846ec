import { type Db, sql } from "../../kit/db";
import type { Unsubscribe, UnsubscribeSource } from "../rules/unsubscribe";

const insertOnce = sql(
  `INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
   ON CONFLICT (company_id, email_hmac, category) DO NOTHING`,
);

const companyName = sql(`SELECT name FROM company_profiles WHERE company_id = ?1`);

const maskedAddress = sql(
  `SELECT to_masked FROM messages WHERE company_id = ?1 AND email_hmac = ?2 ORDER BY accepted_at DESC LIMIT 1`,
);

/** Whom the page speaks of, as far as it is known: the company's name and the masked address. */
export type UnsubscribeScope = { companyName: string | null; addressMasked: string | null };

/** One round trip; the token holds a hash only, so the masked address is that of a stored message. */
export async function findUnsubscribeScope(db: Db, unsubscribe: Unsubscribe): Promise<UnsubscribeScope> {
  const { companyId, emailHmac } = unsubscribe;
  const [profile, message] = await db.batch<[{ name: string }, { to_masked: string }]>([
    companyName.bind(db, companyId),
    maskedAddress.bind(db, companyId, emailHmac),
  ]);
  return {
    companyName: profile.results[0]?.name ?? null,
    addressMasked: message.results[0]?.to_masked ?? null,
  };
}

/** Stores the unsubscribe; a repeat changes nothing (email details 8.2). */
export async function insertUnsubscribe(
  db: Db,
  unsubscribe: Unsubscribe,
  source: UnsubscribeSource,
  now: number,
): Promise<void> {
  const { companyId, emailHmac, category } = unsubscribe;
  await db.run(insertOnce.bind(db, companyId, emailHmac, category, source, now));
}

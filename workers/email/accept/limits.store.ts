import { type Db, sql } from "../../kit/db";
import type { Lane } from "../services";

/** Accepted messages since a time; `hash` "" is the whole company. `oldest` is unix ms or null. */
export type AcceptedCount = { hash: string; used: number; oldest: number | null };

const countOf = sql(
  `SELECT '' AS hash, count(*) AS used, min(accepted_at) AS oldest FROM messages
    WHERE company_id = ?1 AND accepted_at > ?3 AND lane = ?2 AND NOT (status = 'suppressed' AND attempt_count = 0)
   UNION ALL
   SELECT m.email_hmac, count(*), min(m.accepted_at) FROM json_each(?4) h
     CROSS JOIN messages m ON m.company_id = ?1 AND m.email_hmac = h.value AND m.accepted_at > ?5
    WHERE m.lane = ?2 AND NOT (m.status = 'suppressed' AND m.attempt_count = 0) GROUP BY m.email_hmac`,
);

/** What a company and its recipients had accepted, by index; decides limits while their object does not answer. */
export function countAcceptedMessages(
  db: Db,
  question: {
    companyId: number;
    lane: Lane;
    companySince: number;
    recipientSince: number;
    hashes: readonly string[];
  },
): Promise<AcceptedCount[]> {
  const { companyId, lane, companySince, recipientSince, hashes } = question;
  return db.all<AcceptedCount>(
    countOf.bind(db, companyId, lane, companySince, JSON.stringify([...new Set(hashes)]), recipientSince),
  );
}

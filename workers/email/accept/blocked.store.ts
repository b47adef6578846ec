import type { suppressions, unsubscribes } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type SuppressionHit = Pick<typeof suppressions.$inferSelect, "email_hmac" | "reason" | "lanes">;
export type UnsubscribeHit = Pick<typeof unsubscribes.$inferSelect, "email_hmac" | "category">;

/** Bind: company id, JSON list of address hashes, now (ms). Suppressions in force of these addresses. */
export const suppressionsOf = sql(
  `SELECT email_hmac, reason, lanes FROM suppressions
    WHERE company_id = ?1 AND email_hmac IN (SELECT value FROM json_each(?2))
      AND (expires_at IS NULL OR expires_at > ?3)`,
);

/** Bind: company id, JSON list of address hashes. Unsubscribes of these addresses, all categories. */
export const unsubscribesOf = sql(
  `SELECT email_hmac, category FROM unsubscribes
    WHERE company_id = ?1 AND email_hmac IN (SELECT value FROM json_each(?2))`,
);

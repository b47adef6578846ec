import type { suppressions } from "../../../db/email/schema";
import { DatabaseError, type Db, type SqlValue, sql } from "../../kit/db";

export type SuppressionRow = typeof suppressions.$inferSelect;

const pageOfCompany = sql(`SELECT * FROM suppressions WHERE company_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3`);

const pageOfAddress = sql(
  `SELECT * FROM suppressions WHERE company_id = ?1 AND id < ?2
    AND email_hmac IN (SELECT value FROM json_each(?4)) ORDER BY id DESC LIMIT ?3`,
);

// The row of a company, address and reason is unique: a repeat changes it and keeps its id (email details 8.1).
const put = sql(
  `INSERT INTO suppressions (company_id, email_hmac, email_masked, reason, lanes, expires_at, created_at)
   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
   ON CONFLICT (company_id, email_hmac, reason) DO UPDATE SET lanes = excluded.lanes, expires_at = excluded.expires_at
   RETURNING *`,
);

const companyOf = sql(`SELECT company_id FROM suppressions WHERE id = ?1`);

const remove = sql(`DELETE FROM suppressions WHERE id = ?1 AND company_id = ?2`);

/** Newest first, `limit + 1` rows for the cursor; `hashes` (null: all) keeps one address. */
export function listSuppressions(
  db: Db,
  companyId: number,
  page: { beforeId: number; limit: number; hashes: readonly string[] | null },
): Promise<SuppressionRow[]> {
  const values: SqlValue[] = [companyId, page.beforeId, page.limit + 1];
  return db.all<SuppressionRow>(
    page.hashes === null
      ? pageOfCompany.bind(db, ...values)
      : pageOfAddress.bind(db, ...values, JSON.stringify(page.hashes)),
  );
}

/** Creates or changes the row of this company, address and reason and answers it. */
export async function putSuppression(db: Db, row: Omit<SuppressionRow, "id">): Promise<SuppressionRow> {
  const stored = await db.first<SuppressionRow>(
    put.bind(
      db,
      row.company_id,
      row.email_hmac,
      row.email_masked,
      row.reason,
      row.lanes,
      row.expires_at,
      row.created_at,
    ),
  );
  if (stored === null) throw new DatabaseError("an upsert answered no row");
  return stored;
}

/** The company of a row, or null. */
export async function findSuppressionCompany(db: Db, id: number): Promise<number | null> {
  const row = await db.first<{ company_id: number }>(companyOf.bind(db, id));
  return row?.company_id ?? null;
}

/** Whether the row was there to be deleted. */
export async function deleteSuppression(db: Db, companyId: number, id: number): Promise<boolean> {
  const { meta } = await db.run(remove.bind(db, id, companyId));
  return meta.changes > 0;
}

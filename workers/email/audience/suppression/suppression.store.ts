import { and, desc, eq, lt, sql } from "drizzle-orm";
import { audit_log, suppressions } from "../../../../db/email/schema";
import type { AuditActor } from "../../../../db/kit/audit";
import type { Db } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import {
  allColumns,
  indexedBy,
  insertSelect,
  isInList,
  jsonObject,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(suppressions);
const { id, company_id, email_hmac, reason } = suppressions;

const page = { companyId: company_id, beforeId: id, limit: integer };

/** Statement: one page of the suppressions of a company, newest first. */
export const listSuppressions = statement(page, (p) =>
  queryBuilder
    .select(columns)
    .from(suppressions)
    .where(and(eq(company_id, p.companyId), lt(id, p.beforeId)))
    .orderBy(desc(id))
    .limit(p.limit),
);

/** Statement: one page of the suppressions of an address by its hashes, newest first. */
export const listSuppressionsOf = statement({ ...page, hashes: json<string[]>() }, (p) =>
  selectRows(
    columns,
    (selected) => sql`select ${selected} from ${indexedBy(suppressions, "suppressions_address")}
      where ${company_id} = ${p.companyId} and ${isInList(email_hmac, p.hashes)} and ${id} < ${p.beforeId}
      order by ${desc(id)} limit ${p.limit}`,
  ),
);

const upsert = statement(
  {
    company_id,
    email_hmac,
    email_masked: columns.email_masked,
    reason,
    lanes: columns.lanes,
    expires_at: columns.expires_at,
    created_at: columns.created_at,
  },
  (p) =>
    queryBuilder
      .insert(suppressions)
      .values(p)
      .onConflictDoUpdate({
        target: [company_id, email_hmac, reason],
        set: { lanes: p.lanes, expires_at: p.expires_at },
      })
      .returning(columns),
);

// Inserts the audit entry for the row that the preceding statement inserted or changed.
const insertAudit = statement(
  { now: integer, kind: audit_log.actor_kind, userId: audit_log.actor_user_id, company_id, email_hmac, reason },
  (p) =>
    insertSelect(
      audit_log,
      {
        at: p.now,
        actor_kind: p.kind,
        actor_user_id: p.userId,
        company_id,
        action: "suppression.saved",
        target: sql`'suppression:' || ${id}`,
        changes: jsonObject({ reason, lanes: sql`json(${columns.lanes})`, expires_at: columns.expires_at }),
      },
      sql`from ${suppressions} where changes() > 0 and ${company_id} = ${p.company_id}
        and ${email_hmac} = ${p.email_hmac} and ${reason} = ${p.reason}`,
    ),
);

/**
 * Stores a suppression with its audit entry and returns the row. A company has one row per address and reason. A repeated
 * call changes that row and keeps its id.
 */
export async function putSuppression(db: Db, row: Parameters<typeof upsert>[0], { kind, userId }: AuditActor) {
  const { company_id, email_hmac, reason, created_at: now } = row;
  return db.first(followedBy(upsert(row), insertAudit({ company_id, email_hmac, reason, kind, userId, now })));
}

/** Statement: the company and the reason of a suppression. */
export const findSuppressionRow = statement({ id }, (p) =>
  queryBuilder.select({ id, company_id, reason }).from(suppressions).where(eq(id, p.id)),
);

/** Statement: delete a suppression of a company. */
export const deleteSuppression = statement({ id, companyId: company_id }, (p) =>
  queryBuilder.delete(suppressions).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

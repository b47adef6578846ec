import { and, desc, eq, lt, sql } from "drizzle-orm";
import { suppressions } from "../../../db/email/schema";
import { integer, json } from "../../kit/db/kind";
import { all, indexedBy, inList, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const columns = all(suppressions);
const { id, company_id, email_hmac, reason } = suppressions;

const page = { companyId: company_id, beforeId: id, limit: integer };

/** Suppressions of a company, newest first. */
export const listSuppressions = statement(page, (p) =>
  q
    .select(columns)
    .from(suppressions)
    .where(and(eq(company_id, p.companyId), lt(id, p.beforeId)))
    .orderBy(desc(id))
    .limit(p.limit),
);

/** Suppressions of one address, by its hashes, newest first. */
export const listSuppressionsOf = statement({ ...page, hashes: json<string[]>() }, (p) =>
  rows(
    columns,
    (selected) => sql`select ${selected} from ${indexedBy(suppressions, "suppressions_address")}
      where ${company_id} = ${p.companyId} and ${inList(email_hmac, p.hashes)} and ${id} < ${p.beforeId}
      order by ${desc(id)} limit ${p.limit}`,
  ),
);

/** Stores a suppression and answers it. The row of a company, address and reason is one: a repeat changes it and keeps its id. */
export const putSuppression = statement(
  {
    ...{ company_id, email_hmac, email_masked: columns.email_masked, reason },
    ...{ lanes: columns.lanes, expires_at: columns.expires_at, created_at: columns.created_at },
  },
  (p) =>
    q
      .insert(suppressions)
      .values(p)
      .onConflictDoUpdate({
        target: [company_id, email_hmac, reason],
        set: { lanes: p.lanes, expires_at: p.expires_at },
      })
      .returning(columns),
);

/** The company of a suppression. */
export const findSuppressionRow = statement({ id }, (p) =>
  q.select({ id, company_id }).from(suppressions).where(eq(id, p.id)),
);

/** Deletes a suppression of a company. */
export const deleteSuppression = statement({ id, companyId: company_id }, (p) =>
  q.delete(suppressions).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

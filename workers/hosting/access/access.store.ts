import { eq, sql } from "drizzle-orm";
import { hosting_access } from "../../../db/hosting/schema";
import { allColumns, assignments, columnName, insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

const { company_id, status, requested_at, requested_by_id, reviewed_at, reviewed_by_id, notes } = hosting_access;

/** Statement: whether the company may host apps. Returns no row for a company that has not asked. */
export const findAccess = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(allColumns(hosting_access)).from(hosting_access).where(eq(company_id, p.companyId)),
);

/** Statement: ask for access. Changes nothing while a request is pending and after an approval. */
export const requestAccess = statement({ companyId: company_id, userId: requested_by_id, now: requested_at }, (p) => {
  const request = { status: "pending" as const, requested_at: p.now, requested_by_id: p.userId };
  return sql`${insertSelect(hosting_access, { company_id: p.companyId, ...request, notes: "" }, sql`where true`)}
    on conflict (${columnName(company_id)}) do update set ${assignments(hosting_access, request)}
    where ${status} = 'denied'`;
});

/** Statement: the event of a decision that changes the status. Run it before `decideAccess`. */
export const addDecisionEvent = statement({ ...eventRow, status, now: reviewed_at }, (p) => {
  const previous = sql`coalesce((select ${status} from ${hosting_access} where ${company_id} = ${p.companyId}), 'none')`;
  const data = sql`json_set(${p.data}, '$.previous_status', ${previous})`;
  return insertEventIf({ ...p, data }, p.now, sql`${previous} <> ${p.status}`);
});

/** Statement: store a decision of staff. */
export const decideAccess = statement(
  { companyId: company_id, status, userId: reviewed_by_id, notes, now: reviewed_at },
  (p) => {
    const decision = { status: p.status, reviewed_at: p.now, reviewed_by_id: p.userId, notes: p.notes };
    return sql`${insertSelect(hosting_access, { company_id: p.companyId, ...decision }, sql`where true`)}
      on conflict (${columnName(company_id)}) do update set ${assignments(hosting_access, decision)}`;
  },
);

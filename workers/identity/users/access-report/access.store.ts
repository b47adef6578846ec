import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { event_log } from "../../../../db/identity/schema";
import { nullable, text } from "../../../kit/db/kind";
import { selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { WALKED_ROWS } from "../../../kit/db/walk";

const { company_id, id, user_id, user_email } = event_log;
/** The newest entries, from which the rejected sign-ins are selected. */
const newest = alias(event_log, "newest");

const refusal = {
  id: newest.id,
  created_at: newest.created_at,
  provider: newest.provider,
  code: sql`${newest.data} ->> '$.failure_reason'`.mapWith(nullable(text)),
};
const isRefusal = eq(newest.event_type, sql`'identity.auth.login.failed'`);
const newestFive = (columns: SQL, range: SQL, condition: SQL | undefined) =>
  sql`select ${columns} from (select * from ${range} order by ${desc(id)} limit ${WALKED_ROWS}) newest
    where ${and(isRefusal, condition)} order by ${desc(newest.id)} limit 5`;

/** Selects the last five rejected sign-ins of a user among the newest entries about the user. */
export const listRefusalsOfUser = statement({ companyId: company_id, userId: user_id }, (p) =>
  selectRows(refusal, (columns) =>
    newestFive(
      columns,
      sql`${event_log} indexed by event_log_user where ${user_id} = ${p.userId} and ${company_id} = ${p.companyId}`,
      undefined,
    ),
  ),
);

/**
 * Selects the last five rejected sign-ins of an address among the newest entries of the company. An entry from before the
 * account existed has no user id.
 */
export const listRefusalsOfAddress = statement({ companyId: company_id, email: user_email }, (p) =>
  selectRows(refusal, (columns) =>
    newestFive(columns, sql`${event_log} where ${company_id} = ${p.companyId}`, eq(newest.user_email, p.email)),
  ),
);

import { and, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { sessions } from "../../../../db/identity/schema";
import { MAX_SCANNED_ROWS } from "../../../kit/db/bounded-scan";
import { integer } from "../../../kit/db/kind";
import { indexedBy, queryBuilder, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { id, user_id, company_id } = sessions;

const userInCompany = { userId: user_id, companyId: company_id, now: integer };

const newest = alias(sessions, "newest");

// For users with very many sessions, reads only the newest ones. Ids are time-ordered.
const liveOf = (p: { [K in keyof typeof userInCompany]: SQL }) => {
  const newestSessions = sql`select * from ${indexedBy(sessions, "sessions_user_company")}
    where ${user_id} = ${p.userId} and ${company_id} = ${p.companyId} order by ${desc(id)} limit ${MAX_SCANNED_ROWS}`;
  const isLive = and(
    isNull(newest.revoked_at),
    gt(newest.idle_expires_at, p.now),
    gt(newest.absolute_expires_at, p.now),
  );
  return sql`from (${newestSessions}) newest where ${isLive}`;
};

const { provider, rotated_at, idle_expires_at, country, user_agent, created_at } = newest;
const position = { time: created_at, before: id };

/** Selects the live sessions of the user in the company before the given position, newest first. */
export const listSessions = statement({ ...userInCompany, ...position, limit: integer, offset: integer }, (p) =>
  selectRows(
    { id: newest.id, provider, rotated_at, idle_expires_at, country, user_agent, created_at },
    (columns) => sql`select ${columns} ${liveOf(p)} and (${created_at}, ${newest.id}) < (${p.time}, ${p.before})
      order by ${desc(created_at)}, ${desc(newest.id)} limit ${p.limit} offset ${p.offset}`,
  ),
);

export type SessionListRow = RowOfStatement<typeof listSessions>;

/** Selects the number of live sessions of the user in the company. */
export const countSessions = statement(userInCompany, (p) =>
  selectRows({ total: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} ${liveOf(p)}`),
);

/** Selects the session, live or not, if it belongs to the user in the company. */
export const findSessionOfUser = statement({ sid: id, userId: user_id, companyId: company_id }, (p) =>
  queryBuilder
    .select({ id })
    .from(sessions)
    .where(and(eq(id, p.sid), eq(user_id, p.userId), eq(company_id, p.companyId))),
);

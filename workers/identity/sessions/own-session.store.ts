import { and, asc, count, desc, eq, gt, isNull, type SQLWrapper } from "drizzle-orm";
import { sessions } from "../../../db/identity/schema";
import { integer } from "../../kit/db/kind";
import { q } from "../../kit/db/query";
import { type RowOfStatement, statement } from "../../kit/db/statement";

const { id, user_id, company_id, created_at, idle_expires_at, absolute_expires_at, revoked_at } = sessions;

const mine = { userId: user_id, companyId: company_id, now: integer };

const isLiveOf = (p: Record<keyof typeof mine, SQLWrapper>) =>
  and(
    eq(user_id, p.userId),
    eq(company_id, p.companyId),
    isNull(revoked_at),
    gt(idle_expires_at, p.now),
    gt(absolute_expires_at, p.now),
  );

/** The live sessions of the user in the company, newest first. */
export const listSessions = statement({ ...mine, limit: integer, offset: integer }, (p) =>
  q
    .select({
      id,
      provider: sessions.provider,
      rotated_at: sessions.rotated_at,
      idle_expires_at,
      country: sessions.country,
      user_agent: sessions.user_agent,
      created_at,
    })
    .from(sessions)
    .where(isLiveOf(p))
    .orderBy(desc(created_at), asc(id))
    .limit(p.limit)
    .offset(p.offset),
);

export type SessionListRow = RowOfStatement<typeof listSessions>;

/** How many live sessions the user has in the company. */
export const countSessions = statement(mine, (p) => q.select({ total: count() }).from(sessions).where(isLiveOf(p)));

/** A row when the session is the user's in that company. */
export const findOwnSession = statement({ sid: id, userId: user_id, companyId: company_id }, (p) =>
  q
    .select({ id })
    .from(sessions)
    .where(and(eq(id, p.sid), eq(user_id, p.userId), eq(company_id, p.companyId))),
);

import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { isInForce } from "../../../../db/email/conditions/pauses";
import type { LaneStateRow } from "../../../../db/email/rows";
import { lane_states } from "../../../../db/email/schema";
import { LANES, type Lane } from "../../../../schemas/email/delivery/lanes";
import type { Db } from "../../../kit/db/db";
import { integer, text } from "../../../kit/db/kind";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(lane_states);
const { lane, company_id, scope, paused, fingerprint } = lane_states;

/** Statement: the pauses for all companies, at most one per lane. */
export const listPausesForAll = statement({}, () =>
  queryBuilder
    .select(columns)
    .from(lane_states)
    .where(and(inArray(lane, [...LANES]), eq(paused, true), eq(company_id, 0))),
);

/** Statement: the pauses of one company that are in force, at most two per lane. For `platform`, see isInForce. */
export const listPausesOfCompany = statement({ companyId: company_id, platform: text }, (p) =>
  queryBuilder
    .select(columns)
    .from(lane_states)
    .where(and(eq(company_id, p.companyId), eq(paused, true), isInForce(p.platform))),
);

/** Statement: the pauses of companies that are in force, ordered by company, lane and scope, after the given position. */
export const listPausesOfCompanies = statement(
  { companyId: company_id, lane: text, scope: text, platform: text, limit: integer },
  (p) =>
    queryBuilder
      .select(columns)
      .from(lane_states)
      .where(
        and(
          gt(company_id, 0),
          eq(paused, true),
          sql`(${company_id}, ${lane}, ${scope}) > (${p.companyId}, ${p.lane}, ${p.scope})`,
          isInForce(p.platform),
        ),
      )
      .orderBy(company_id, lane, scope)
      .limit(p.limit),
);

// A pause by staff has no fingerprint, so a later pause for rejected credentials does not replace it.
const pauseByStaff = statement(
  { lane, companyId: company_id, scope, reason: columns.reason, now: integer, userId: columns.paused_by },
  (p) => {
    const pause = { paused: true, reason: p.reason, fingerprint: null, paused_at: p.now, paused_by: p.userId };
    return queryBuilder
      .insert(lane_states)
      .values({ lane: p.lane, company_id: p.companyId, scope: p.scope, ...pause })
      .onConflictDoUpdate({ target: [lane, company_id, scope], set: pause });
  },
);

/** Statement: ends the pause for all companies (company 0), or the pauses of both scopes of one company. */
export const endPause = statement({ lane, companyId: company_id }, (p) =>
  queryBuilder.delete(lane_states).where(and(eq(lane, p.lane), eq(company_id, p.companyId))),
);

/** Statement: ends the pauses of a company for rejected credentials. It runs when the credentials change. */
export const endCredentialPauses = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .delete(lane_states)
    .where(and(eq(company_id, p.companyId), gt(company_id, 0), sql`${fingerprint} is not null`)),
);

/** Stores a pause by staff with its audit entry, for all companies (null) or for both scopes of one company. */
export async function storePause(
  db: Db,
  pause: { lane: Lane; companyId: number | null; reason: string; now: number; userId: number },
  entry: Bound,
): Promise<void> {
  const scopes: LaneStateRow["scope"][] = pause.companyId === null ? [""] : ["company", "platform"];
  const pauses = scopes.map((scope) => pauseByStaff({ ...pause, companyId: pause.companyId ?? 0, scope }));
  await db.batch({ pauses: pauses.map((insert) => (insert === pauses.at(-1) ? followedBy(insert, entry) : insert)) });
}

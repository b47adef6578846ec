import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { hosting_visits as visits } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Inserts a visit whose link has not been opened yet. */
export const addVisit = statement(
  {
    tokenHash: visits.token_hash,
    deploymentId: visits.deployment_id,
    companyId: visits.company_id,
    userId: visits.user_id,
    expiresAt: visits.expires_at,
  },
  (p) =>
    queryBuilder.insert(visits).values({
      token_hash: p.tokenHash,
      deployment_id: p.deploymentId,
      company_id: p.companyId,
      user_id: p.userId,
      expires_at: p.expiresAt,
    }),
);

/** Deletes up to 100 expired visits. */
export const deleteExpiredVisits = statement(
  { now: visits.expires_at },
  (p) => sql`delete from ${visits} where ${visits.token_hash} in
    (select token_hash from ${visits} where expires_at <= ${p.now} order by expires_at limit 100)`,
);

/** Opens the link of a visit once: stores the hash of the cookie and the end of the visit. Returns no row for any other link. */
export const openVisit = statement(
  {
    tokenHash: visits.token_hash,
    deploymentId: visits.deployment_id,
    sessionHash: visits.session_hash,
    expiresAt: visits.expires_at,
    now: integer,
  },
  (p) =>
    queryBuilder
      .update(visits)
      .set({ session_hash: p.sessionHash, expires_at: p.expiresAt })
      .where(
        and(
          eq(visits.token_hash, p.tokenHash),
          eq(visits.deployment_id, p.deploymentId),
          isNull(visits.session_hash),
          gt(visits.expires_at, p.now),
        ),
      )
      .returning({ user_id: visits.user_id }),
);

/** Selects the member of a visit by the hash of its cookie. */
export const findVisit = statement(
  { sessionHash: visits.session_hash, deploymentId: visits.deployment_id, now: integer },
  (p) =>
    queryBuilder
      .select({ user_id: visits.user_id, company_id: visits.company_id })
      .from(visits)
      .where(
        and(
          eq(visits.session_hash, p.sessionHash),
          eq(visits.deployment_id, p.deploymentId),
          gt(visits.expires_at, p.now),
        ),
      ),
);

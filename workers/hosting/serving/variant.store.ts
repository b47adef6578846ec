import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { hosting_deployments as deployments } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { DAY_MS } from "../../kit/time";

/** The sweep stops requesting the variants of a deployment that went live longer ago than this. */
const MAX_WAIT_MS = sql.raw(String(DAY_MS));

const key = { id: deployments.id, companyId: deployments.company_id };
const isServed = sql`${deployments.status} in ('active', 'superseded')`;

/** Selects a deployment if it is or was live, which keeps its files from the clean-up. */
export const findServedDeployment = statement(key, (p) =>
  queryBuilder
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.id, p.id),
        eq(deployments.company_id, p.companyId),
        inArray(deployments.status, ["active", "superseded"]),
      ),
    ),
);

/** Statement: all variants of a deployment exist, so the sweep requests them no longer. Returns its id if it is or was live. */
export const endVariants = statement(key, (p) =>
  queryBuilder
    .update(deployments)
    .set({ next_step_at: null })
    .where(and(eq(deployments.id, p.id), eq(deployments.company_id, p.companyId), isServed))
    .returning({ id: deployments.id }),
);

/**
 * Statement: returns up to `limit` deployments without all variants that are due at `now` (unix ms). They are due again after a wait
 * that doubles, until they have been live for a day.
 */
export const claimDueVariants = statement({ now: integer, limit: integer }, (p) => {
  const isDue = sql`${deployments.next_step_at} is not null and ${deployments.next_step_at} <= ${p.now}`;
  return queryBuilder
    .update(deployments)
    .set({ next_step_at: nextAfter(p.now) })
    .where(
      sql`${deployments.id} in (select ${deployments.id} from ${deployments} indexed by hosting_deployments_due
        where ${isDue} and ${isServed} limit ${p.limit})`,
    )
    .returning({ id: deployments.id, company_id: deployments.company_id });
});

/** Returns when variants are due again: after the time since the deployment went live, which doubles it; null after a day. */
const nextAfter = (now: SQL): SQL =>
  sql`case when ${now} - ${deployments.live_from} < ${MAX_WAIT_MS} then 2 * ${now} - ${deployments.live_from} end`;

import { and, eq, sql } from "drizzle-orm";
import { hosting_deployments } from "../../../db/hosting/schema";
import { integer, json, text } from "../../kit/db/kind";
import { isInList, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { id, company_id, status, lease_token, lease_until } = hosting_deployments;

const ids = json<readonly string[]>();

/** Statement: the states of those deployments of a company that exist. */
export const findStates = statement({ companyId: company_id, ids }, (p) =>
  queryBuilder
    .select({ id, status })
    .from(hosting_deployments)
    .where(and(isInList(id, p.ids), eq(company_id, p.companyId))),
);

/**
 * Statement: leases failed deployments until `until` (unix ms), so that no upload starts while their objects are deleted. Returns their
 * ids.
 */
export const leaseFailed = statement({ companyId: company_id, ids, token: text, now: integer, until: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ lease_token: p.token, lease_until: p.until })
    .where(
      and(
        isInList(id, p.ids),
        eq(company_id, p.companyId),
        eq(status, "failed"),
        sql`(${lease_until} is null or ${lease_until} <= ${p.now})`,
      ),
    )
    .returning({ id }),
);

/** Statement: gives those leases back. */
export const releaseFailed = statement({ ids, token: text }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ lease_token: null, lease_until: null })
    .where(and(isInList(id, p.ids), eq(lease_token, p.token))),
);

import { and, eq, gt, sql } from "drizzle-orm";
import type { CompanyProviderRow } from "../../../../db/email/rows";
import { company_providers } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import { assignments, jsonEach, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { company_id, domain_health, from_email, sending_domain, updated_at } = company_providers;

/** The columns of a provider that a domain check needs. */
export type CheckedProvider = Pick<
  CompanyProviderRow,
  "company_id" | "from_email" | "sending_domain" | "domain_health" | "updated_at"
>;

const checkedAt = sql`${domain_health} ->> '$.checked_at'`;
const triedAt = sql`${domain_health} ->> '$.tried_at'`;

/**
 * Statement: up to `limit` providers whose domain was never checked or last checked by `until` (unix ms), the least recently
 * tried first. It scans the table once an hour. An index would cost more, because each check would write to it and one write
 * costs as much as a thousand reads.
 */
export const listDueDomains = statement({ until: integer, limit: integer }, (p) =>
  queryBuilder
    .select({ company_id, from_email, sending_domain, domain_health, updated_at })
    .from(company_providers)
    .where(and(gt(company_id, 0), sql`coalesce(${checkedAt}, 0) <= ${p.until}`))
    .orderBy(sql`coalesce(${triedAt}, ${checkedAt}, 0)`, company_id)
    .limit(p.limit),
);

type HealthUpdate = { companyId: number; updatedAt: number; health: NonNullable<CompanyProviderRow["domain_health"]> };

const updateHealth = statement({ updates: json<readonly HealthUpdate[]>() }, (p) => {
  const { from, item: update } = jsonEach(p.updates);
  return sql`update ${company_providers} set ${assignments(company_providers, { domain_health: update.health })} from ${from}
    where ${and(eq(company_id, update.companyId), eq(updated_at, update.updatedAt))}`;
});

/** Stores the domain checks of providers. Skips providers that changed after they were read. */
export async function storeHealth(
  db: Db,
  results: readonly { row: CheckedProvider; health: HealthUpdate["health"] }[],
): Promise<void> {
  const updates = results.map(({ row, health }) => ({
    companyId: row.company_id,
    updatedAt: row.updated_at,
    health,
  }));
  await db.run(updateHealth({ updates }));
}

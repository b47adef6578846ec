import { and, eq, gt, sql } from "drizzle-orm";
import type { CompanyProviderRow, LaneStateRow } from "../../../../db/email/rows";
import { company_providers, sender_breakers } from "../../../../db/email/schema";
import type { BatchResults, Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";
import { endCredentialPauses, listPausesForAll, listPausesOfCompany } from "./lane.store";

const columns = allColumns(company_providers);
const { company_id, domain_health, from_email, sending_domain, updated_at } = company_providers;

/** Statement: the provider row of a company. */
export const findProvider = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(columns).from(company_providers).where(eq(company_id, p.companyId)),
);

// Conditional on the row that was read (`expected`: its updated_at, null for none), so that concurrent PUTs cannot mix.
const putProvider = statement({ ...columns, expected: nullable(updated_at) }, ({ expected, ...row }) => {
  const { company_id: companyId, seal_id: _sealId, ...changed } = row;
  return insertSelect(
    company_providers,
    row,
    sql`where (select ${updated_at} from ${company_providers} where ${company_id} = ${companyId}) is ${expected}
      on conflict (${columnName(company_id)}) do update set ${assignments(company_providers, changed)}`,
  );
});

const removeProvider = statement({ companyId: company_id }, (p) =>
  queryBuilder.delete(company_providers).where(eq(company_id, p.companyId)),
);

/** The columns of a provider that a check of its domain uses. */
export type CheckedProvider = Pick<
  CompanyProviderRow,
  "company_id" | "from_email" | "sending_domain" | "domain_health" | "updated_at"
>;

const checkedAt = sql`${domain_health} ->> '$.checked_at'`;
const triedAt = sql`${domain_health} ->> '$.tried_at'`;

/**
 * Statement: the providers whose domain was last checked before `until` (unix ms) or never, at most `limit`, the least
 * recently tried first. It scans the table once an hour, which is cheaper than an index: each check would write it, and one
 * write costs as much as a thousand reads.
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

/** Stores the domain checks of providers; skips providers that changed since they were read. */
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

// The breakers of the company's sender: its failures may have come from the old credentials.
const closeBreakers = statement({ companyId: sender_breakers.company_id }, (p) =>
  queryBuilder
    .delete(sender_breakers)
    .where(and(eq(sender_breakers.scope, "company"), eq(sender_breakers.company_id, p.companyId))),
);

/** A provider row with the pauses of its company's lanes that are in force. */
export type ProviderState = { row: CompanyProviderRow | null; pauses: LaneStateRow[] };

/** Returns the statements that read a provider's state; `platform` as in inForce. */
export const stateReads = (companyId: number, platform: string) => ({
  row: findProvider({ companyId }),
  ...pauseReads(companyId, platform),
});

/** Converts the results of stateReads. */
export function readState({ row, forAll, company }: BatchResults<ReturnType<typeof stateReads>>): ProviderState {
  return { row: row.first, pauses: [...forAll.rows, ...company.rows] };
}

/**
 * Stores the row if the stored one still has `expectedUpdatedAt` (null: none), with the audit entry. New credentials end the
 * pauses for the old ones and close the breakers in the same batch. Returns the new state, or null when the row had changed.
 */
export async function storeProvider(
  db: Db,
  row: CompanyProviderRow,
  expectedUpdatedAt: number | null,
  hasNewCredentials: boolean,
  platform: string,
  entry: Bound,
): Promise<ProviderState | null> {
  const { company_id: companyId } = row;
  const { stored, forAll, company } = await db.batch({
    stored: followedBy(putProvider({ ...row, expected: expectedUpdatedAt }), entry),
    ended: hasNewCredentials ? endCredentialEffects(companyId) : null,
    ...pauseReads(companyId, platform),
  });
  return stored.changes === 0 ? null : { row, pauses: [...forAll.rows, ...company.rows] };
}

/** Deletes the row with the pauses and breakers of its credentials, and stores the audit entry. */
export async function deleteProvider(db: Db, companyId: number, entry: Bound): Promise<void> {
  await db.batch({ removed: followedBy(removeProvider({ companyId }), entry), ended: endCredentialEffects(companyId) });
}

const endCredentialEffects = (companyId: number) => [endCredentialPauses({ companyId }), closeBreakers({ companyId })];

const pauseReads = (companyId: number, platform: string) => ({
  forAll: listPausesForAll(),
  company: listPausesOfCompany({ companyId, platform }),
});

import { and, eq, gt, sql } from "drizzle-orm";
import type { CompanyProviderRow, LaneStateRow } from "../../../../db/email/rows";
import { company_providers, sender_breakers } from "../../../../db/email/schema";
import type { BatchResults, Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, assign, columnName, insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";
import { endRefusals, listPausesForAll, listPausesOfCompany } from "./lane.store";

const columns = allColumns(company_providers);
const { company_id, domain_health, from_email, sending_domain, updated_at } = company_providers;

/** The provider row of a company. */
export const findProvider = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(columns).from(company_providers).where(eq(company_id, p.companyId)),
);

// Conditional on the row that was read (`expected`: its updated_at, null for none), so that two PUTs never mix.
const putProvider = statement({ ...columns, expected: nullable(updated_at) }, ({ expected, ...row }) => {
  const { company_id: companyId, seal_id: _sealId, ...changed } = row;
  return insertSelect(
    company_providers,
    row,
    sql`where (select ${updated_at} from ${company_providers} where ${company_id} = ${companyId}) is ${expected}
      on conflict (${columnName(company_id)}) do update set ${assign(company_providers, changed)}`,
  );
});

const removeProvider = statement({ companyId: company_id }, (p) =>
  queryBuilder.delete(company_providers).where(eq(company_id, p.companyId)),
);

/** What a look at the domain of a provider needs of its row. */
export type LookedAtProvider = Pick<
  CompanyProviderRow,
  "company_id" | "from_email" | "sending_domain" | "domain_health" | "updated_at"
>;

const checkedAt = sql`${domain_health} ->> '$.checked_at'`;
const triedAt = sql`${domain_health} ->> '$.tried_at'`;

/**
 * The providers whose domain was last looked at before `until` (unix ms), or never: at most `limit`, those first that were
 * asked for longest ago. It walks the whole table, once an hour, for less than an index would cost: that is written each time
 * that a domain is looked at, and a write costs as much as a thousand reads.
 */
export const listDueDomains = statement({ until: integer, limit: integer }, (p) =>
  queryBuilder
    .select({ company_id, from_email, sending_domain, domain_health, updated_at })
    .from(company_providers)
    .where(and(gt(company_id, 0), sql`coalesce(${checkedAt}, 0) <= ${p.until}`))
    .orderBy(sql`coalesce(${triedAt}, ${checkedAt}, 0)`, company_id)
    .limit(p.limit),
);

type Look = { companyId: number; updatedAt: number; health: NonNullable<CompanyProviderRow["domain_health"]> };

const keepHealth = statement({ looks: json<readonly Look[]>() }, (p) => {
  const { from, item } = jsonEach(p.looks);
  return sql`update ${company_providers} set ${assign(company_providers, { domain_health: item.health })} from ${from}
    where ${and(eq(company_id, item.companyId), eq(updated_at, item.updatedAt))}`;
});

/** Keeps what DNS says of the domains of providers, but for those that have changed. */
export async function storeHealth(
  db: Db,
  looks: readonly { row: LookedAtProvider; health: Look["health"] }[],
): Promise<void> {
  const of = ({ row, health }: (typeof looks)[number]) => ({
    companyId: row.company_id,
    updatedAt: row.updated_at,
    health,
  });
  await db.run(keepHealth({ looks: looks.map(of) }));
}

// The breakers of the company's own sender; it may have been away by its credentials.
const closeBreakers = statement({ companyId: sender_breakers.company_id }, (p) =>
  queryBuilder
    .delete(sender_breakers)
    .where(and(eq(sender_breakers.scope, "company"), eq(sender_breakers.company_id, p.companyId))),
);

/** A provider row with the pauses that hold its company's lanes, those in force. */
export type ProviderState = { row: CompanyProviderRow | null; pauses: LaneStateRow[] };

/** The reads of a provider's state; `platform` as in inForce. */
export const stateReads = (companyId: number, platform: string) => ({
  row: findProvider({ companyId }),
  ...pauseReads(companyId, platform),
});

/** What the reads of a state have found. */
export function readState({ row, forAll, own }: BatchResults<ReturnType<typeof stateReads>>): ProviderState {
  return { row: row.first, pauses: [...forAll.rows, ...own.rows] };
}

/**
 * Stores the row if the stored one is still that of `expectedUpdatedAt` (null: none). New credentials end the pauses
 * that a refusal of the old ones made and close the breakers, in the same batch as the audit entry. The state after it, or null when the
 * row had changed.
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
  const { stored, forAll, own } = await db.batch({
    stored: followedBy(putProvider({ ...row, expected: expectedUpdatedAt }), entry),
    ended: hasNewCredentials ? credentialsEnded(companyId) : null,
    ...pauseReads(companyId, platform),
  });
  return stored.changes === 0 ? null : { row, pauses: [...forAll.rows, ...own.rows] };
}

/** Deletes the row with its audit entry; the pauses and breakers by its credentials go with it. */
export async function deleteProvider(db: Db, companyId: number, entry: Bound): Promise<void> {
  await db.batch({ removed: followedBy(removeProvider({ companyId }), entry), ended: credentialsEnded(companyId) });
}

const credentialsEnded = (companyId: number) => [endRefusals({ companyId }), closeBreakers({ companyId })];

const pauseReads = (companyId: number, platform: string) => ({
  forAll: listPausesForAll(),
  own: listPausesOfCompany({ companyId, platform }),
});

import { and, eq, sql } from "drizzle-orm";
import type { CompanyProviderRow, LaneStateRow } from "../../../../db/email/rows";
import { company_providers, sender_breakers } from "../../../../db/email/schema";
import type { BatchResults, Db } from "../../../kit/db/db";
import { nullable } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";
import { endCredentialPauses, listPausesForAll, listPausesOfCompany } from "./lane.store";

const columns = allColumns(company_providers);
const { company_id, updated_at } = company_providers;

/** Statement: the provider row of a company. */
export const findProvider = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(columns).from(company_providers).where(eq(company_id, p.companyId)),
);

// Writes only if the row still has the `updated_at` that was read (`expected`; null: no row), so concurrent PUTs cannot mix.
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

// Closes the breakers of the company sender, because the old credentials may have caused the failures.
const closeBreakers = statement({ companyId: sender_breakers.company_id }, (p) =>
  queryBuilder
    .delete(sender_breakers)
    .where(and(eq(sender_breakers.scope, "company"), eq(sender_breakers.company_id, p.companyId))),
);

/** The provider row of a company and the pauses that are in force for its lanes. */
export type ProviderState = { row: CompanyProviderRow | null; pauses: LaneStateRow[] };

/** Returns the statements that read the provider state. For `platform`, see isInForce. */
export const selectState = (companyId: number, platform: string) => ({
  row: findProvider({ companyId }),
  ...pauseReads(companyId, platform),
});

/** Converts the results of selectState to a ProviderState. */
export function readState({ row, forAll, company }: BatchResults<ReturnType<typeof selectState>>): ProviderState {
  return { row: row.first, pauses: [...forAll.rows, ...company.rows] };
}

/**
 * Stores the row and the audit entry if the stored row still has `expectedUpdatedAt` (null: no row). New credentials also end
 * the pauses for the old credentials and close the breakers. Returns the new state, or null when the row had changed.
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

/** Deletes the row, its credential pauses and its breakers, and stores the audit entry. */
export async function deleteProvider(db: Db, companyId: number, entry: Bound): Promise<void> {
  await db.batch({ removed: followedBy(removeProvider({ companyId }), entry), ended: endCredentialEffects(companyId) });
}

const endCredentialEffects = (companyId: number) => [endCredentialPauses({ companyId }), closeBreakers({ companyId })];

const pauseReads = (companyId: number, platform: string) => ({
  forAll: listPausesForAll(),
  company: listPausesOfCompany({ companyId, platform }),
});

import { type Db, sql } from "../../kit/db";
import { closeCompanyBreakers } from "../delivery/breaker.store";
import { type CompanyProviderRow, providerOfCompany } from "./company-provider.store";
import { clearCompanyPauses, type LaneStateRow, listLanes, pausesOfCompany } from "./pause.store";

// Conditional on the row that was read (?17: its updated_at, null for none), so that two PUTs never mix.
const putProvider = sql(
  `INSERT INTO company_providers (company_id, seal_id, provider, from_email, from_name, sending_domain,
     bulk_from_email, reply_to, credentials_enc, credentials_hint, fingerprint, webhook_secret_enc,
     webhook_previous_enc, webhook_previous_expires_at, webhook_hint, updated_at)
   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
    WHERE (SELECT updated_at FROM company_providers WHERE company_id = ?1) IS ?17
   ON CONFLICT (company_id) DO UPDATE SET provider = excluded.provider, from_email = excluded.from_email,
     from_name = excluded.from_name, sending_domain = excluded.sending_domain,
     bulk_from_email = excluded.bulk_from_email, reply_to = excluded.reply_to,
     credentials_enc = excluded.credentials_enc, credentials_hint = excluded.credentials_hint,
     fingerprint = excluded.fingerprint, webhook_secret_enc = excluded.webhook_secret_enc,
     webhook_previous_enc = excluded.webhook_previous_enc,
     webhook_previous_expires_at = excluded.webhook_previous_expires_at,
     webhook_hint = excluded.webhook_hint, updated_at = excluded.updated_at`,
);

const deleteProviderRow = sql(`DELETE FROM company_providers WHERE company_id = ?1`);

/** A provider row with the pauses that hold its company's lanes, those in force. */
export type ProviderState = { row: CompanyProviderRow | null; pauses: LaneStateRow[] };

/** The row and the pauses; one round trip. */
export async function findProviderState(
  db: Db,
  companyId: number,
  platformFingerprint: string,
): Promise<ProviderState> {
  const [rows, forAll, own] = await db.batch<[CompanyProviderRow, LaneStateRow, LaneStateRow]>([
    providerOfCompany.bind(db, companyId),
    listLanes.bind(db),
    pausesOfCompany.bind(db, companyId, platformFingerprint),
  ]);
  return { row: rows.results[0] ?? null, pauses: [...forAll.results, ...own.results] };
}

/** The row alone; one round trip. */
export function findProvider(db: Db, companyId: number): Promise<CompanyProviderRow | null> {
  return db.first<CompanyProviderRow>(providerOfCompany.bind(db, companyId));
}

/**
 * Stores the row if the stored one is still that of `expectedUpdatedAt` (null: none). New credentials end the pauses
 * that a refusal of the old ones made and close the breakers, in the same batch. The state after it, or null when the
 * row had changed.
 */
export async function storeProvider(
  db: Db,
  row: CompanyProviderRow,
  expectedUpdatedAt: number | null,
  hasNewCredentials: boolean,
  platformFingerprint: string,
): Promise<ProviderState | null> {
  const put = putProvider.bind(
    db,
    row.company_id,
    row.seal_id,
    row.provider,
    row.from_email,
    row.from_name,
    row.sending_domain,
    row.bulk_from_email,
    row.reply_to,
    row.credentials_enc,
    row.credentials_hint,
    row.fingerprint,
    row.webhook_secret_enc,
    row.webhook_previous_enc,
    row.webhook_previous_expires_at,
    row.webhook_hint,
    row.updated_at,
    expectedUpdatedAt,
  );
  const clear = hasNewCredentials ? clearStatements(db, row.company_id) : [];
  const [stored, ...others] = await db.batch<[never, ...LaneStateRow[]]>([
    put,
    ...clear,
    listLanes.bind(db),
    pausesOfCompany.bind(db, row.company_id, platformFingerprint),
  ]);
  if (stored.meta.changes === 0) return null;
  return { row, pauses: others.flatMap((result) => result.results) };
}

/** Deletes the row; the pauses and breakers by its credentials go with it. */
export async function deleteProvider(db: Db, companyId: number): Promise<void> {
  await db.batch([deleteProviderRow.bind(db, companyId), ...clearStatements(db, companyId)]);
}

function clearStatements(db: Db, companyId: number): D1PreparedStatement[] {
  return [clearCompanyPauses.bind(db, companyId), closeCompanyBreakers.bind(db, companyId)];
}

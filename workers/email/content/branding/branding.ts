import type { BrandingRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import { changeEntry } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import type { EmailServices } from "../../services";
import { findBranding, putBranding } from "./branding.store";
import type { BrandingChange } from "./branding-input";

/** The branding of a company, null when it has none. */
export function readBranding({ dbOf }: Pick<EmailServices, "dbOf">, companyId: number): Promise<BrandingRow | null> {
  return dbOf(companyId).first(findBranding({ companyId }));
}

/** Stores what a PUT gives, with its audit entry in the same batch; answers the branding after it. */
export async function saveBranding(
  { dbOf, clock }: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  change: BrandingChange,
  actor: AuditActor,
): Promise<BrandingRow | null> {
  const now = clock.now();
  const fields = Object.entries(change).flatMap(([field, value]) => (value === null ? [] : [field]));
  const saved = { action: "branding.saved", target: "branding", changes: { fields } };
  const { stored } = await dbOf(companyId).batch({
    put: followedBy(putBranding({ ...change, companyId, now }), changeEntry({ ...saved, actor, companyId, now })),
    stored: findBranding({ companyId }),
  });
  return stored.first;
}

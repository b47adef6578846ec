import type { BrandingRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import { changeEntry, runAudited } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import type { EmailServices } from "../../services";
import { clearLogo, findBranding, putBranding } from "./branding.store";
import type { BrandingChange } from "./branding-input";

/** Returns the branding of a company, or null when it has none. */
export function readBranding({ dbOf }: Pick<EmailServices, "dbOf">, companyId: number): Promise<BrandingRow | null> {
  return dbOf(companyId).first(findBranding({ companyId }));
}

type BrandingEntry = { action: string; changes: Record<string, unknown> };

/** Stores the fields of a PUT and the audit entry in one transaction. Returns the new branding. */
export async function saveBranding(
  services: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  change: BrandingChange,
  actor: AuditActor,
): Promise<BrandingRow | null> {
  const fields = Object.entries(change).flatMap(([field, value]) => (value === null ? [] : [field]));
  return storeBranding(services, companyId, change, actor, { action: "branding.saved", changes: { fields } });
}

/** Sets the URL of an uploaded logo and returns the new branding. `image` becomes `changes` in the audit entry. */
export function setLogo(
  services: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  url: string,
  actor: AuditActor,
  image: Record<string, unknown>,
): Promise<BrandingRow | null> {
  const change = { primary_color: null, logo_url: url, postal_address: null, footer_text: null };
  return storeBranding(services, companyId, change, actor, { action: "branding.logo_uploaded", changes: image });
}

/** Removes the logo, uploaded or linked. Writes no audit entry when the company has no logo. */
export async function removeLogo(
  services: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  actor: AuditActor,
): Promise<void> {
  const change = clearLogo({ companyId, now: services.clock.now() });
  await runAudited(services, actor, change, { companyId, action: "branding.logo_removed", target: "branding" });
}

async function storeBranding(
  { dbOf, clock }: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  change: BrandingChange,
  actor: AuditActor,
  entry: BrandingEntry,
): Promise<BrandingRow | null> {
  const now = clock.now();
  const auditEntry = { ...entry, target: "branding" };
  const { stored } = await dbOf(companyId).batch({
    put: followedBy(putBranding({ ...change, companyId, now }), changeEntry({ ...auditEntry, actor, companyId, now })),
    stored: findBranding({ companyId }),
  });
  return stored.first;
}

import type { BrandingRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type { LogoScheme } from "../../../../schemas/email/content/branding";
import { changeEntry, runAudited } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import type { EmailServices } from "../../services";
import { clearLogo, findBranding, putBranding } from "./branding.store";
import { type BrandingChange, UNCHANGED } from "./branding-input";

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

const LOGO_FIELDS = { light: "logo_url", dark: "logo_dark_url" } as const;

/** An uploaded logo. `image` becomes `changes` in the audit entry. */
type UploadedLogo = { scheme: LogoScheme; url: string; image: Record<string, unknown> };

/** Sets the URL of an uploaded logo and returns the new branding. */
export function setLogo(
  services: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  { scheme, url, image }: UploadedLogo,
  actor: AuditActor,
): Promise<BrandingRow | null> {
  const change = { ...UNCHANGED, [LOGO_FIELDS[scheme]]: url };
  const changes = { scheme, ...image };
  return storeBranding(services, companyId, change, actor, { action: "branding.logo_uploaded", changes });
}

/** Removes the logo for light or dark backgrounds, uploaded or linked. Writes no audit entry when the company has none. */
export async function removeLogo(
  services: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  scheme: LogoScheme,
  actor: AuditActor,
): Promise<void> {
  const change = clearLogo[scheme]({ companyId, now: services.clock.now() });
  const entry = { companyId, action: "branding.logo_removed", target: "branding", changes: { scheme } };
  await runAudited(services, actor, change, entry);
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

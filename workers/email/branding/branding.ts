import type { Actor, BrandingRow } from "../../../db/email/rows";
import { followedBy } from "../../kit/db/statement";
import { changeEntry } from "../audit/audit";
import type { EmailServices } from "../services";
import { findBranding, putBranding } from "./branding.store";
import type { BrandingChange } from "./branding-input";

/** The branding of a company, null when it has none. */
export function readBranding({ db }: Pick<EmailServices, "db">, companyId: number): Promise<BrandingRow | null> {
  return db.first(findBranding({ companyId }));
}

/** Stores what a PUT gives, with its audit entry in the same batch; answers the branding after it. */
export async function saveBranding(
  { db, clock }: Pick<EmailServices, "db" | "clock">,
  companyId: number,
  change: BrandingChange,
  actor: Actor,
): Promise<BrandingRow | null> {
  const now = clock.now();
  const fields = Object.entries(change).flatMap(([field, value]) => (value === null ? [] : [field]));
  const saved = { action: "branding.saved", target: "branding", changes: { fields } };
  const { stored } = await db.batch({
    put: followedBy(putBranding({ ...change, companyId, now }), changeEntry({ ...saved, actor, companyId, now })),
    stored: findBranding({ companyId }),
  });
  return stored.first;
}

import type { Actor, BrandingRow } from "../../../db/email/rows";
import { followedBy } from "../../kit/db/statement";
import { changeEntry } from "../audit/audit";
import type { EmailServices } from "../services";
import { findBranding, putBranding } from "./branding.store";
import type { BrandingChange } from "./branding-input";
import { brandColours } from "./colours";

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

/** What a branding puts into a mail, by the names of the tokens `system.*`; what is not set has no token. */
export function brandTokens(branding: BrandingRow | null): Record<string, string> {
  if (branding === null) return {};
  const { primary_color, logo_url, postal_address, footer_text } = branding;
  // The colour goes into styles, where no value is escaped enough: it is a colour or it is not there.
  const colours = /^#[0-9a-f]{6}$/.test(primary_color) ? brandColours(primary_color) : null;
  return {
    ...(colours === null
      ? {}
      : {
          brand_color: colours.color,
          brand_text: colours.text,
          brand_color_dark: colours.colorDark,
          brand_text_dark: colours.textDark,
        }),
    logo_url,
    postal_address,
    footer_text,
  };
}

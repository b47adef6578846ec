import { and, eq, ne, sql } from "drizzle-orm";
import { brandings } from "../../../../db/email/schema";
import type { SocialNetwork } from "../../../../schemas/email/content/branding";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(brandings);
const { company_id, primary_color, logo_url, logo_dark_url, postal_address, footer_text, footer_texts, social_links } =
  brandings;

/** Statement: the branding of a company. */
export const findBranding = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(columns).from(brandings).where(eq(company_id, p.companyId)),
);

/** Statement: store the branding. A null field keeps the stored value. */
export const putBranding = statement(
  {
    companyId: company_id,
    primary_color: nullable(primary_color),
    logo_url: nullable(logo_url),
    logo_dark_url: nullable(logo_dark_url),
    postal_address: nullable(postal_address),
    footer_text: nullable(footer_text),
    footer_texts: nullable(json<Partial<Record<EmailLanguage, string | null>>>()),
    social_links: nullable(json<Partial<Record<SocialNetwork, string | null>>>()),
    now: integer,
  },
  (p) => {
    const storedBranding = {
      primary_color: sql`coalesce(${p.primary_color}, ${primary_color})`,
      logo_url: sql`coalesce(${p.logo_url}, ${logo_url})`,
      logo_dark_url: sql`coalesce(${p.logo_dark_url}, ${logo_dark_url})`,
      postal_address: sql`coalesce(${p.postal_address}, ${postal_address})`,
      footer_text: sql`coalesce(${p.footer_text}, ${footer_text})`,
      // A null value removes an entry (RFC 7396).
      footer_texts: sql`coalesce(json_patch(${footer_texts}, ${p.footer_texts}), ${footer_texts})`,
      social_links: sql`coalesce(json_patch(${social_links}, ${p.social_links}), ${social_links})`,
      updated_at: p.now,
    };
    const newBranding = {
      company_id: p.companyId,
      primary_color: sql`coalesce(${p.primary_color}, '')`,
      logo_url: sql`coalesce(${p.logo_url}, '')`,
      logo_dark_url: sql`coalesce(${p.logo_dark_url}, '')`,
      postal_address: sql`coalesce(${p.postal_address}, '')`,
      footer_text: sql`coalesce(${p.footer_text}, '')`,
      footer_texts: sql`coalesce(json_patch('{}', ${p.footer_texts}), '{}')`,
      social_links: sql`coalesce(json_patch('{}', ${p.social_links}), '{}')`,
      updated_at: p.now,
    };
    return insertSelect(
      brandings,
      newBranding,
      sql`where true on conflict (${columnName(company_id)}) do update set ${assignments(brandings, storedBranding)}`,
    );
  },
);

const clearColumn = (column: "logo_url" | "logo_dark_url") =>
  statement({ companyId: company_id, now: integer }, (p) =>
    queryBuilder
      .update(brandings)
      .set({ [column]: "", updated_at: p.now })
      .where(and(eq(company_id, p.companyId), ne(brandings[column], ""))),
  );

/** Statements: clear the logo for light or dark backgrounds. They change no row when the company has none. */
export const clearLogo = { light: clearColumn("logo_url"), dark: clearColumn("logo_dark_url") } as const;

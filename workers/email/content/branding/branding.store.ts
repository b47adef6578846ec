import { and, eq, ne, sql } from "drizzle-orm";
import { brandings } from "../../../../db/email/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(brandings);
const { company_id, primary_color, logo_url, postal_address, footer_text } = brandings;

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
    postal_address: nullable(postal_address),
    footer_text: nullable(footer_text),
    now: integer,
  },
  (p) => {
    const storedBranding = {
      primary_color: sql`coalesce(${p.primary_color}, ${primary_color})`,
      logo_url: sql`coalesce(${p.logo_url}, ${logo_url})`,
      postal_address: sql`coalesce(${p.postal_address}, ${postal_address})`,
      footer_text: sql`coalesce(${p.footer_text}, ${footer_text})`,
      updated_at: p.now,
    };
    const newBranding = {
      company_id: p.companyId,
      primary_color: sql`coalesce(${p.primary_color}, '')`,
      logo_url: sql`coalesce(${p.logo_url}, '')`,
      postal_address: sql`coalesce(${p.postal_address}, '')`,
      footer_text: sql`coalesce(${p.footer_text}, '')`,
      updated_at: p.now,
    };
    return insertSelect(
      brandings,
      newBranding,
      sql`where true on conflict (${columnName(company_id)}) do update set ${assignments(brandings, storedBranding)}`,
    );
  },
);

/** Statement: clear the logo. Changes no row when the company has no logo. */
export const clearLogo = statement({ companyId: company_id, now: integer }, (p) =>
  queryBuilder
    .update(brandings)
    .set({ logo_url: "", updated_at: p.now })
    .where(and(eq(company_id, p.companyId), ne(logo_url, ""))),
);

import { eq, sql } from "drizzle-orm";
import type { BrandingRow } from "../../../../db/email/rows";
import { brandings, company_profiles, template_versions, templates } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { allColumns, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, html, text, subject } = template_versions;
const { company_id } = templates;

const findVersion = statement({ id, companyId: company_id }, (p) =>
  selectRows(
    { html, text, subject, language: templates.language },
    (columns) => sql`select ${columns} from ${template_versions}
      cross join ${templates} on ${templates.id} = ${template_versions.template_id}
      where ${id} = ${p.id} and ${company_id} = ${p.companyId} and ${templates.kind} = 'broadcast'
        and ${templates.hidden_at} is null`,
  ),
);

const findName = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ name: company_profiles.name })
    .from(company_profiles)
    .where(eq(company_profiles.company_id, p.companyId)),
);

const findBranding = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(allColumns(brandings)).from(brandings).where(eq(brandings.company_id, p.companyId)),
);

/** The stored content of a web version, and the look of its company. */
export type WebContent = {
  html: string;
  text: string;
  subject: string;
  language: "en" | "fr";
  companyName: string;
  branding: BrandingRow | null;
};

/** Reads a version of a broadcast in one round trip. Returns null when the broadcast is not of this company or was deleted. */
export async function findWebContent(
  db: Db,
  { companyId, versionId }: { companyId: number; versionId: number },
): Promise<WebContent | null> {
  const { version, name, branding } = await db.batch({
    version: findVersion({ id: versionId, companyId }),
    name: findName({ companyId }),
    branding: findBranding({ companyId }),
  });
  if (version.first === null) return null;
  return { ...version.first, companyName: name.first?.name ?? "", branding: branding.first };
}

import { type SQL, sql } from "drizzle-orm";
import { default_contents, template_versions, templates } from "../schema";

/**
 * The part of a custom template to which a message is pinned: the published version without the document and the
 * rendered email. `is_default` is true when the version equals the default content of its event, which exists in every
 * language. The checksums of a company's own events have its key as a prefix.
 */
export const customTemplateContent = {
  template_id: templates.id,
  template_key: templates.template_key,
  source_key: templates.source_key,
  language: templates.language,
  version_id: template_versions.id,
  number: template_versions.number,
  subject: template_versions.subject,
  uses: template_versions.uses,
  is_default:
    sql<boolean>`exists (select 1 from ${default_contents} where ${default_contents.checksum} in (${template_versions.checksum},
      ${templates.company_id} || ':' || ${templates.event_type} || ':' || ${template_versions.checksum}))`
      .mapWith(default_contents.current)
      .as("is_default"),
};

/** A join to the published version of each template. It follows `templates` in FROM. */
export const publishedVersion: SQL = sql`cross join ${template_versions} on ${template_versions.template_id} = ${templates.id} and ${template_versions.number} = ${templates.active_version}`;

import { type SQL, sql } from "drizzle-orm";
import { default_contents, template_versions, templates } from "../schema";

const t = templates;
const v = template_versions;

/**
 * The part of a custom template to which a message is pinned: the published version without the document and the
 * rendered email. `is_default` is true when the version equals the default content of its event, which exists in every
 * language.
 */
export const customTemplateContent = {
  template_id: t.id,
  template_key: t.template_key,
  source_key: t.source_key,
  language: t.language,
  version_id: v.id,
  number: v.number,
  subject: v.subject,
  uses: v.uses,
  is_default:
    sql<boolean>`exists (select 1 from ${default_contents} where ${default_contents.checksum} = ${v.checksum})`
      .mapWith(default_contents.current)
      .as("is_default"),
};

/** A join to the published version of each template. It follows `templates` in FROM. */
export const publishedVersion: SQL = sql`cross join ${v} on ${v.template_id} = ${t.id} and ${v.number} = ${t.active_version}`;

import { type SQL, sql } from "drizzle-orm";
import { default_contents, template_versions, templates } from "../schema";

const t = templates;
const v = template_versions;

/**
 * What a message pins of a copy: its published version, without document and composed mail. `is_default`: word for word the
 * default content of its event, so that it exists in every language.
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

/** Behind `templates` in FROM: the published version of each. */
export const publishedVersion: SQL = sql`cross join ${v} on ${v.template_id} = ${t.id} and ${v.number} = ${t.active_version}`;

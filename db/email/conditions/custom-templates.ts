import { type SQL, sql } from "drizzle-orm";
import { default_contents, template_versions, templates } from "../schema";

const t = templates;
const v = template_versions;

/**
 * The part of a custom template that a message pins: the published version without document and composed mail. `is_default`:
 * identical to the default content of its event, which exists in every language.
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

/** A join that follows `templates` in FROM: the published version of each. */
export const publishedVersion: SQL = sql`cross join ${v} on ${v.template_id} = ${t.id} and ${v.number} = ${t.active_version}`;

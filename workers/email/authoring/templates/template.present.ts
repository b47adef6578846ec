import type { TemplateRow, VersionRow } from "../../../../db/email/rows";
import type { PublicTemplate, PublicVersion } from "../../../../schemas/email/content/templates";
import { iso } from "../../../kit/time";
import { findSet } from "../../content/design-sets/sets";

/** Returns the API representation of a custom template. `head` is the CSS of its design set. */
export function presentTemplate(row: TemplateRow): PublicTemplate {
  const { id, template_key, kind, name, event_type, language, company_id, active_version, source_key, set_key } = row;
  return {
    id,
    template_key,
    kind,
    name,
    event_type,
    language,
    company_id,
    active_version,
    source_key,
    set: set_key,
    head: set_key === "" ? "" : findSet(set_key).head,
  };
}

type PresentableVersion = Pick<VersionRow, "number" | "state" | "subject" | "preheader" | "document" | "published_at">;

/** Returns the API representation of a version of a custom template. */
export function presentVersion(row: PresentableVersion): PublicVersion {
  const { number, state, subject, preheader, document, published_at } = row;
  return { number, state, subject, preheader, document: JSON.parse(document), published_at: iso(published_at) };
}

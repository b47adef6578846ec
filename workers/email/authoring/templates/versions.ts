import type { VersionRow } from "../../../../db/email/rows";
import { MAX_VERSIONS } from "../../../../schemas/email/content/templates";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { HOUR_MS } from "../../../kit/time";
import { findAuthProblem } from "../../content/documents/auth-checks";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { requireMailSize } from "./example-mail";
import { findTemplate } from "./template.store";
import { composeVersion } from "./version";
import {
  activate,
  archive,
  deleteOldestVersion,
  findNewest,
  findNewestDraft,
  findNumber,
  insertDraft,
  publish,
  startOver,
} from "./version.store";
import { type EditedTemplate, eventOf, type NewDraft } from "./version-input";

/** So long ago a version was replaced at least that makes room for another. */
const REPLACED_MS = HOUR_MS;

/** Statements: a template and its newest version, of any state or only a draft; null for an id that cannot exist. */
export function newestVersionReads(templateId: number | null, newest: "version" | "draft") {
  if (templateId === null) return { template: null, stored: null };
  return {
    template: findTemplate({ id: templateId }),
    stored: newest === "draft" ? findNewestDraft({ templateId }) : findNewest({ templateId }),
  };
}

type TemplateOf = EditedTemplate["template"];

/**
 * Composes and stores a draft with its audit entry; answers its number. 404 `template_not_found` when the copy was deleted
 * meanwhile, 409 `limit_reached` when it has 200 versions and none of them makes room, 503 `renderer_unavailable`.
 */
export async function createDraft(
  { dbOf, clock }: EmailServices,
  template: TemplateOf,
  { draft, source }: NewDraft,
  { userId, entry }: { userId: number | null; entry: Bound },
): Promise<number> {
  const { id: templateId, language } = template;
  const composed = await composeVersion(draft, { set: source?.set_key ?? template.set_key, language });
  const now = clock.now();
  const insert = insertDraft({ ...composed, templateId, createdBy: userId, now, max: MAX_VERSIONS });
  const { stored, present } = await dbOf(template.company_id).batch({
    oldest: deleteOldestVersion({ id: composed.id, templateId, max: MAX_VERSIONS, replacedBefore: now - REPLACED_MS }),
    inserted: followedBy(insert, entry),
    source: source === null ? null : startOver({ templateId, versionId: composed.id, ...source }),
    stored: findNumber({ id: composed.id }),
    present: findTemplate({ id: templateId }),
  });
  if (stored.first !== null) return stored.first.number;
  throw new Problem(present.first === null ? "template_not_found" : "limit_reached");
}

/**
 * Makes a version the one that is sent, with its audit entry. 400 with the code of the first check of sign-in mail that it
 * fails, or `document: [render_failed]` for a mail that is too large, 404 `template_not_found` when the copy was deleted meanwhile,
 * or the version made room for another.
 */
export async function publishVersion(
  { dbOf, clock, settings }: EmailServices,
  template: TemplateOf,
  version: VersionRow,
  entry: Bound,
): Promise<void> {
  const { subject, preheader, number } = version;
  const draft = { subject, preheader, document: JSON.parse(version.document) as EmailDocument };
  const event = eventOf(template);
  const problem = findAuthProblem(event, draft, settings.authLinkHosts);
  if (problem !== null) throw new Problem(problem.code, { field_errors: problem.field_errors });
  requireMailSize(event, template.language, version, settings);
  const templateId = template.id;
  const { activated } = await dbOf(template.company_id).batch({
    activated: followedBy(activate({ templateId, number }), entry),
    published: publish({ templateId, number, now: clock.now() }),
    archived: archive({ templateId }),
  });
  if (activated.changes === 0) throw new Problem("template_not_found");
}

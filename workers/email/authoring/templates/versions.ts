import type { VersionRow } from "../../../../db/email/rows";
import { MAX_VERSIONS } from "../../../../schemas/email/content/templates";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import { findAuthProblem } from "../../content/documents/auth-checks";
import { unknownLists } from "../../content/documents/document-text";
import { type Warning, warningsOf } from "../../content/documents/warnings";
import { selectTypeOfTemplate } from "../../content/event-types/own-event";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { fillExampleMail } from "./example-mail";
import { findTemplate } from "./template.store";
import { composeVersion } from "./version";
import {
  activate,
  archive,
  deleteOldestVersion,
  findNewest,
  findNewestDraft,
  findNumber,
  findVersion,
  insertDraft,
  publish,
  setSourceDesign,
} from "./version.store";
import { type EditedTemplate, eventOf, type NewDraft, type TypedTemplate } from "./version-input";

/** When a template has MAX_VERSIONS versions, a version may be deleted if it was replaced at least this long ago. */
const REPLACED_RETENTION_MS = HOUR_MS;

/**
 * Returns the statements that read a template, its own event type, and its newest version or draft. For an invalid id, returns
 * null for each.
 */
export function selectNewestVersion(templateId: number | null, newest: "version" | "draft") {
  if (templateId === null) return { template: null, ownType: null, stored: null };
  return {
    template: findTemplate({ id: templateId }),
    ownType: selectTypeOfTemplate(templateId),
    stored: newest === "draft" ? findNewestDraft({ templateId }) : findNewest({ templateId }),
  };
}

/** Returns the statement that reads a version of a template. */
export const selectVersion = (templateId: number, number: number) => findVersion({ templateId, number });

type Template = EditedTemplate["template"];

/**
 * Composes and stores a draft with its audit entry. Returns the number of the version. Throws 404 `template_not_found` when the
 * template was deleted in the meantime, and 409 `limit_reached` when it has MAX_VERSIONS versions and none may be deleted.
 * Throws 503 `renderer_unavailable`.
 */
export async function createDraft(
  { dbOf, clock }: EmailServices,
  template: Template,
  { draft, source }: NewDraft,
  { userId, entry }: { userId: number | null; entry: Bound },
): Promise<number> {
  const { id: templateId, language } = template;
  const composed = await composeVersion(draft, { set: source?.set_key ?? template.set_key, language });
  const now = clock.now();
  const insert = insertDraft({ ...composed, templateId, createdBy: userId, now, max: MAX_VERSIONS });
  const { stored, present } = await dbOf(template.company_id).batch({
    oldest: deleteOldestVersion({
      id: composed.id,
      templateId,
      max: MAX_VERSIONS,
      replacedBefore: now - REPLACED_RETENTION_MS,
    }),
    inserted: followedBy(insert, entry),
    source: source === null ? null : setSourceDesign({ templateId, versionId: composed.id, ...source }),
    stored: findNumber({ id: composed.id }),
    present: findTemplate({ id: templateId }),
  });
  if (stored.first !== null) return stored.first.number;
  throw new Problem(present.first === null ? "template_not_found" : "limit_reached");
}

/**
 * Publishes a version and stores the audit entry. Returns the warnings for its author. Throws 400 with the code of the first
 * failed check for sign-in mail, or with `document: [list_unknown|render_failed]` for a list that the event does not declare or
 * for a mail that is too large. Throws 404 `template_not_found` when the template or the version was deleted in the meantime.
 */
export async function publishVersion(
  { dbOf, clock, settings }: EmailServices,
  { template, ownType }: TypedTemplate,
  version: VersionRow,
  entry: Bound,
): Promise<Warning[]> {
  const { subject, preheader, number } = version;
  const draft = { subject, preheader, document: JSON.parse(version.document) as EmailDocument };
  const event = eventOf({ template, ownType });
  const problem = findAuthProblem(event, draft, settings.authLinkHosts);
  if (problem !== null) throw new Problem(problem.code, { field_errors: problem.field_errors });
  if (unknownLists(event, draft.document).length > 0) throw invalid({ document: ["list_unknown"] });
  const example = fillExampleMail(event, template.language, version, settings);
  const templateId = template.id;
  const { activated } = await dbOf(template.company_id).batch({
    activated: followedBy(activate({ templateId, number }), entry),
    published: publish({ templateId, number, now: clock.now() }),
    archived: archive({ templateId }),
  });
  if (activated.changes === 0) throw new Problem("template_not_found");
  return warningsOf(event, draft, example, settings.authLinkHosts);
}

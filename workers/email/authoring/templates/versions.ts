import { EDITABLE_STATES } from "../../../../db/email/conditions/broadcasts";
import type { BroadcastRow, VersionRow } from "../../../../db/email/rows";
import { MAX_VERSIONS } from "../../../../schemas/email/content/templates";
import type { Result } from "../../../kit/db/db";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import { findAuthProblem } from "../../content/documents/auth-checks";
import { hasUnsubscribeLink } from "../../content/documents/broadcast-design";
import { findConfirmProblem } from "../../content/documents/confirm-check";
import { unknownLists } from "../../content/documents/document-text";
import { type Warning, warningsOf } from "../../content/documents/warnings";
import { selectTypeOfTemplate } from "../../content/event-types/own-event";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { fillExampleMail } from "./example-mail";
import { findTemplate } from "./template.store";
import { type ComposedVersion, composeVersion } from "./version";
import {
  activate,
  activateStored,
  archive,
  deleteOldestVersion,
  findBroadcastState,
  findNewest,
  findNewestDraft,
  findNumber,
  findVersion,
  insertDraft,
  publish,
  publishStored,
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
 * template was deleted in the meantime, 409 `broadcast_not_draft` when its broadcast was sent, and 409 `limit_reached` when it
 * has MAX_VERSIONS versions and none may be deleted. Throws 503 `renderer_unavailable`.
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
  const { stored, present, broadcast } = await dbOf(template.company_id).batch({
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
    broadcast: findBroadcastState({ templateId }),
  });
  if (stored.first !== null) return stored.first.number;
  if (present.first === null) throw new Problem("template_not_found");
  throw new Problem(isSent(broadcast) ? "broadcast_not_draft" : "limit_reached");
}

/** Returns whether the broadcast of a template was sent or scheduled. */
const isSent = ({ first }: Pick<Result<{ state: BroadcastRow["state"] }>, "first">): boolean =>
  first !== null && !EDITABLE_STATES.some((state) => state === first.state);

/**
 * Publishes a version and stores the audit entry. Returns the warnings for its author. Throws 400 with the code of the first
 * failed check for sign-in mail, or with `document: [list_unknown|render_failed]` for a list that the event does not declare or
 * for a mail that is too large. Throws 400 `confirm_link_missing` for a confirmation mail, 400 `unsubscribe_link_missing` and 409 `broadcast_not_draft` for the template of a
 * broadcast. Throws 404 `template_not_found` when the template or the version was deleted in the meantime.
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
  const problem =
    findAuthProblem(event, draft, settings.authLinkHosts) ?? findConfirmProblem(template.kind, event, draft);
  if (problem !== null) throw new Problem(problem.code, { field_errors: problem.field_errors });
  if (template.kind === "broadcast") requireUnsubscribeLink(draft.document);
  if (unknownLists(event, draft.document).length > 0) throw invalid({ document: ["list_unknown"] });
  const example = fillExampleMail(event, template.language, version, settings);
  const templateId = template.id;
  const { activated, broadcast } = await dbOf(template.company_id).batch({
    activated: followedBy(activate({ templateId, number }), entry),
    published: publish({ templateId, number, now: clock.now() }),
    archived: archive({ templateId }),
    broadcast: findBroadcastState({ templateId }),
  });
  if (activated.changes === 0) throw new Problem(isSent(broadcast) ? "broadcast_not_draft" : "template_not_found");
  return warningsOf(event, draft, example, settings.authLinkHosts);
}

/** Throws 400 `unsubscribe_link_missing` for a bulk mail that does not always show the unsubscribe link. */
export function requireUnsubscribeLink(document: EmailDocument): void {
  if (hasUnsubscribeLink(document)) return;
  throw new Problem("unsubscribe_link_missing", { field_errors: { "system.unsubscribe_url": ["required"] } });
}

/**
 * Returns the statements that store a composed version of a broadcast's template and publish it. They do nothing when the
 * broadcast was sent, or when the template has MAX_VERSIONS versions and none may be deleted.
 */
export function storePublished(
  templateId: number,
  version: ComposedVersion,
  userId: number | null,
  now: number,
): Bound[] {
  const room = { id: version.id, templateId, max: MAX_VERSIONS, replacedBefore: now - REPLACED_RETENTION_MS };
  return [
    deleteOldestVersion(room),
    insertDraft({ ...version, templateId, createdBy: userId, now, max: MAX_VERSIONS }),
    activateStored({ templateId, versionId: version.id }),
    publishStored({ versionId: version.id, now }),
    archive({ templateId }),
  ];
}

import type { EventTypeRow, TemplateRow, VersionRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { versionInputSchema } from "../../../../schemas/email/content/templates";
import type { FieldErrors } from "../../../../schemas/errors";
import { parse } from "../../../kit/http/request/parse";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { adaptToEvent } from "../../content/documents/adapted-design";
import { adaptToBroadcast } from "../../content/documents/broadcast-design";
import { requireDocument, requireTexts } from "../../content/documents/document-input";
import type { MailDraft } from "../../content/documents/document-text";
import { BROADCAST_EVENT } from "../../content/event-types/broadcast-event";
import { eventOfRow } from "../../content/event-types/own-event";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { designOf } from "./custom-template";

/** A custom template with the own event type that it is for; null for an event of the platform. */
export type TypedTemplate = { template: TemplateRow; ownType: EventTypeRow | null };

/** A custom template and the texts of its newest version, or null when it has no version. */
export type EditedTemplate = TypedTemplate & { newest: Pick<VersionRow, "subject" | "preheader"> | null };

/** A requested draft. `source` is the library design that the draft copies, or null. */
export type NewDraft = { draft: MailDraft; source: Pick<TemplateRow, "source_key" | "set_key"> | null };

/** Returns the event of a custom template. Throws 400 `event_unknown` when the event is no longer in the catalog. */
export function eventOf({ template, ownType }: TypedTemplate): CatalogEvent {
  if (template.kind === "broadcast") return BROADCAST_EVENT;
  const event = eventOfRow(template.event_type, ownType);
  if (event === undefined) throw new Problem("event_unknown");
  return event;
}

/**
 * Reads a new version from the request body: a document, or a library design that is adapted to the event. The newest version
 * supplies an empty subject or a missing preheader. Throws 400 with the codes of invalid fields, or 404 `library_not_found`.
 */
export async function readDraft(
  services: EmailServices,
  { template, ownType, newest }: EditedTemplate,
  body: JsonObject,
): Promise<NewDraft> {
  const { settings } = services;
  const { document, library_id: libraryId, subject, preheader } = parse(versionInputSchema, body);
  const texts = {
    subject: subject || newest?.subject || "",
    preheader: preheader ?? newest?.preheader ?? "",
  };
  const fields: FieldErrors = {};
  if (isAbsent(document) && isAbsent(libraryId)) fields.document = ["required"];
  if (texts.subject === "") fields.subject = ["required"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  if (isAbsent(libraryId))
    return { draft: { ...texts, document: requireDocument(document, texts, settings) }, source: null };
  const companyId = template.company_id;
  const design = await services.dbOf(companyId).first(designOf(libraryId, companyId));
  if (design === null) throw new Problem("library_not_found");
  requireTexts(texts, settings);
  const stored = JSON.parse(design.document) as EmailDocument;
  const adapted =
    template.kind === "broadcast"
      ? adaptToBroadcast(stored, template.language)
      : adaptToEvent(stored, eventOf({ template, ownType }), template.language, settings.authLinkHosts);
  return {
    draft: { ...texts, document: adapted },
    source: { source_key: design.key, set_key: design.set_key },
  };
}

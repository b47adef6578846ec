import type { TemplateRow, VersionRow } from "../../../../db/email/rows";
import { previewInputSchema, templateTestInputSchema } from "../../../../schemas/email/content/templates";
import type { FieldErrors } from "../../../../schemas/errors";
import type { AdminCaller } from "../../../kit/auth/caller";
import { parse } from "../../../kit/http/request/parse";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { exampleVariables } from "../../content/catalog/examples";
import { readPreviewVariables, readVariables } from "../../content/catalog/variables";
import { requireDocument, requireTexts } from "../../content/documents/document-input";
import type { MailDraft } from "../../content/documents/document-text";
import type { EmailDocument } from "../../content/format/document";
import type { Variables } from "../../content/tokens/values";
import { readTestRecipient } from "../../delivery/sender-settings/test-send";
import type { EmailServices } from "../../services";
import { eventOf, type TypedTemplate } from "../templates/version-input";
import { selectVersion } from "../templates/versions";

/**
 * A custom template and a stored version of it, or null when there is no version. In a preview, the version supplies the fields
 * that the request body omits. In a test mail, it is used only when the body has no document.
 */
export type OpenedTemplate = TypedTemplate & {
  stored: Pick<VersionRow, "subject" | "preheader" | "document"> | null;
};

/** Reads the draft to preview and the values of its variables. Values in the body override the example values. */
export function readPreview(
  { settings }: EmailServices,
  { stored, ...typed }: OpenedTemplate,
  body: JsonObject,
): { draft: MailDraft; variables: Variables } {
  const { document, variables, ...inputTexts } = parse(previewInputSchema, body);
  const { subject = stored?.subject ?? "", preheader = stored?.preheader ?? "" } = inputTexts;
  const texts = { subject, preheader };
  if (isAbsent(document)) requireTexts(texts, settings);
  const draft = isAbsent(document)
    ? { ...storedDraft(stored, { document: ["required"] }), ...texts }
    : { ...texts, document: requireDocument(document, texts, settings) };
  const event = eventOf(typed);
  const { language } = typed.template;
  const values = readPreviewVariables(event, readVariables(variables, settings), { language, timeZone: "UTC" });
  const examples = exampleVariables(event, language, settings.authLinkHosts);
  return { draft, variables: { ...examples, ...values } };
}

/**
 * Reads the draft and the recipient of a test mail. A document in the body requires a subject. `version` in the body names a
 * stored version; without both, the stored draft is used. Throws 400 `version: [draft_required]` when there is none of the
 * three, 400 `version: [not_allowed|unknown|not_published]`, 400 `to: [required|invalid_format]`, and 403 `forbidden` for an
 * address that the caller may not use.
 */
export async function readTest(
  services: EmailServices,
  caller: AdminCaller,
  { template, stored }: OpenedTemplate,
  body: JsonObject,
): Promise<{ draft: MailDraft; to: string }> {
  const { document, version, subject = "", preheader = "", to } = parse(templateTestInputSchema, body);
  const texts = { subject, preheader };
  if (!isAbsent(document)) {
    if (!isAbsent(version)) throw invalid({ version: ["not_allowed"] });
    if (subject === "") throw invalid({ subject: ["required"] });
    const draft = { ...texts, document: requireDocument(document, texts, services.settings) };
    return { draft, to: readTestRecipient(caller, to) };
  }
  const draft = isAbsent(version)
    ? storedDraft(stored, { version: ["draft_required"] })
    : await readVersion(services, template, version);
  return { draft, to: readTestRecipient(caller, to) };
}

async function readVersion(
  { dbOf }: EmailServices,
  { id: templateId, company_id: companyId, active_version: active }: TemplateRow,
  version: number | "live",
): Promise<MailDraft> {
  const number = version === "live" ? active : version;
  if (number === null) throw invalid({ version: ["not_published"] });
  return storedDraft(await dbOf(companyId).first(selectVersion(templateId, number)), { version: ["unknown"] });
}

function storedDraft(stored: OpenedTemplate["stored"], missing: FieldErrors): MailDraft {
  if (stored === null) throw invalid(missing);
  const { subject, preheader, document } = stored;
  return { subject, preheader, document: JSON.parse(document) as EmailDocument };
}

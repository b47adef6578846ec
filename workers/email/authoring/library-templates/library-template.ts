import type { LibraryRow } from "../../../../db/email/rows";
import { libraryChangeSchema, libraryInputSchema, MAX_OWN_TEMPLATES } from "../../../../schemas/email/content/library";
import { randomFromAlphabet } from "../../../kit/crypto/random";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { parse } from "../../../kit/http/request/parse";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { findSet } from "../../content/design-sets/sets";
import { requireDocument, requireTexts } from "../../content/documents/document-input";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { composeVersion } from "../templates/version";
import { findByKey, findVisible, insertTemplate, updateTemplate } from "./library-template.store";
import { keepUneditedSlots } from "./slots";

/** A company template before it is stored. */
export type NewTemplate = Pick<LibraryRow, "name" | "set_key" | "subject" | "preheader"> & { document: EmailDocument };

const KEY_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const MAX_NAME = 120;
/** Library templates are composed in English and without branding, like the built-in ones. */
const LIBRARY_LOOK = { language: "en", isBranded: false } as const;
const EMPTY_DOCUMENT: EmailDocument = {
  type: "doc",
  content: [{ type: "container", content: [{ type: "paragraph" }] }],
};

/**
 * Reads a new template from the request body. Missing fields are copied from the source template. Throws 404
 * `library_not_found` for an unknown source, and 400 with the codes of invalid fields, such as `name: [required]`.
 */
export async function readNewTemplate(
  { dbOf, settings }: EmailServices,
  companyId: number,
  body: JsonObject,
): Promise<NewTemplate> {
  const { source_id: sourceId } = parse(libraryInputSchema, { source_id: body.source_id });
  const source = isAbsent(sourceId) ? null : await dbOf(companyId).first(findVisible({ id: sourceId, companyId }));
  if (!isAbsent(sourceId) && source === null) throw new Problem("library_not_found");
  const {
    name,
    subject = source?.subject ?? "",
    preheader = source?.preheader ?? "",
    document,
  } = parse(libraryInputSchema, body);
  if (name === undefined && source === null) throw invalid({ name: ["required"] });
  const stored = source === null ? null : (JSON.parse(source.document) as EmailDocument);
  const texts = { subject, preheader };
  if (isAbsent(document)) requireTexts(texts, settings);
  return {
    name: name ?? `${source?.name} copy`.slice(0, MAX_NAME).trim(),
    set_key: source?.set_key ?? "",
    ...texts,
    document: isAbsent(document)
      ? (stored ?? EMPTY_DOCUMENT)
      : keepUneditedSlots(stored, requireDocument(document, texts, settings)),
  };
}

/** Stores and returns a new template. Adds an audit entry. Throws 409 `limit_reached` when the company has too many. */
export async function createTemplate(
  { dbOf, clock }: EmailServices,
  companyId: number,
  { name, set_key, subject, preheader, document }: NewTemplate,
  entry: Bound,
): Promise<LibraryRow> {
  const now = clock.now();
  const composed = await composeVersion({ subject, preheader, document }, { ...LIBRARY_LOOK, set: set_key });
  const key = `library.${randomFromAlphabet(KEY_ALPHABET, 12)}`;
  const insert = insertTemplate({
    key,
    set_key,
    name,
    company_id: companyId,
    built_in: false,
    subject,
    preheader,
    document: composed.document,
    html: composed.html,
    text: composed.text,
    head: set_key === "" ? "" : findSet(set_key).head,
    created_at: now,
    updated_at: now,
    max: MAX_OWN_TEMPLATES,
  });
  const { stored } = await dbOf(companyId).batch({ inserted: followedBy(insert, entry), stored: findByKey({ key }) });
  if (stored.first === null) throw new Problem("limit_reached");
  return stored.first;
}

/** Reads a change of a template from the request body. Throws 400 with the codes of invalid fields. */
export function readChange({ settings }: EmailServices, row: LibraryRow, body: JsonObject): NewTemplate {
  const {
    name = row.name,
    subject = row.subject,
    preheader = row.preheader,
    document,
  } = parse(libraryChangeSchema, body);
  const stored = JSON.parse(row.document) as EmailDocument;
  const texts = { subject, preheader };
  if (isAbsent(document)) requireTexts(texts, settings);
  return {
    name,
    set_key: row.set_key,
    ...texts,
    document: isAbsent(document) ? stored : keepUneditedSlots(stored, requireDocument(document, texts, settings)),
  };
}

/** Changes and returns a template. Adds an audit entry. Throws 409 `conflict` when the template has changed or was deleted. */
export async function changeTemplate(
  { dbOf, clock }: EmailServices,
  row: LibraryRow,
  change: NewTemplate,
  entry: Bound,
): Promise<LibraryRow> {
  const companyId = row.company_id ?? 0;
  const { name, set_key: set, subject, preheader, document } = change;
  const composed = await composeVersion({ subject, preheader, document }, { ...LIBRARY_LOOK, set });
  const update = updateTemplate({
    id: row.id,
    companyId,
    name,
    subject,
    preheader,
    document: composed.document,
    html: composed.html,
    text: composed.text,
    expected: row.updated_at,
    now: clock.now(),
  });
  const stored = await dbOf(companyId).first(followedBy(update, entry));
  if (stored === null) throw new Problem("conflict");
  return stored;
}

import { MAX_FILENAME, REFUSED_EXTENSIONS, REFUSED_TYPES } from "../../../../schemas/email/intake/attachments";
import type { FieldErrors } from "../../../../schemas/errors";
import { base64Size, decodeBase64 } from "../../../kit/crypto/base64-bytes";
import { mimeTypeOf } from "../../../kit/files/mime-type";
import { isAbsent, isObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { EmailSettings } from "../../settings";

export type AttachmentLimits = Pick<EmailSettings, "maxAttachments" | "maxAttachmentBytes">;

/** An attachment of a request, checked but not stored. `field` is its position in the body, such as `attachments.0`. */
export type NewAttachment = {
  filename: string;
  /** null: the type of the object in storage */
  contentType: string | null;
  contentId: string | null;
  field: string;
  source: { kind: "bytes"; bytes: Uint8Array } | { kind: "storage"; bucket: string; path: string };
};

const DEFAULT_TYPE = "application/octet-stream";
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
const CONTENT_ID = /^[\w.+%@=-]{1,128}$/;
/** Control characters, and characters that change the direction in which a name is read and so hide its extension. */
const HIDDEN_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Reads `attachments` of a request. Throws 400 `validation_failed` with the errors of all attachments. The bytes of storage
 * objects are not read and do not count towards the size yet.
 */
export function readAttachments(
  value: unknown,
  { maxAttachments, maxAttachmentBytes }: AttachmentLimits,
): NewAttachment[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalid({ attachments: ["invalid"] });
  if (value.length > maxAttachments) throw invalid({ attachments: ["too_many"] });
  // The size of base64 is known before it is decoded, so a request that is too large needs no memory for its bytes.
  const declaredSizes = value.map((entry) => (isObject(entry) ? sizeOf(entry.content) : 0));
  if (declaredSizes.reduce((sum, size) => sum + size, 0) > maxAttachmentBytes)
    throw invalid({ attachments: ["too_large"] });
  const fields: FieldErrors = {};
  const attachments = value.flatMap((entry, index) => readAttachment(entry, `attachments.${index}`, fields) ?? []);
  const contentIds = new Set<string>();
  for (const { contentId, field } of attachments) {
    if (contentId !== null && contentIds.has(contentId)) fields[`${field}.content_id`] = ["duplicate"];
    if (contentId !== null) contentIds.add(contentId);
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return attachments;
}

/** Returns whether mail providers refuse a file of this name or type. */
export function isRefused(filename: string, contentType: string): boolean {
  // Windows ignores dots and spaces at the end of a name.
  const extension = /\.([^.]*)[. ]*$/.exec(filename.toLowerCase())?.[1]?.trim() ?? "";
  return REFUSED_EXTENSIONS.includes(extension) || REFUSED_TYPES.includes(contentType);
}

function readAttachment(value: unknown, field: string, fields: FieldErrors): NewAttachment | null {
  if (!isObject(value)) {
    fields[field] = ["invalid"];
    return null;
  }
  const before = Object.keys(fields).length;
  // Resend fetches `path` from any host. This service connects to no host that a request names.
  if (!isAbsent(value.path)) fields[`${field}.path`] = ["not_allowed"];
  const source = readSource(value, field, fields);
  const filename = readFilename(value.filename, source, field, fields);
  const contentType = readContentType(value.content_type, { filename, source }, field, fields);
  const contentId = readContentId(value.content_id, field, fields);
  if (isRefused(filename, contentType ?? "")) {
    fields[`${field}.${isRefused(filename, "") ? "filename" : "content_type"}`] = ["not_allowed"];
  }
  if (source === null || Object.keys(fields).length > before) return null;
  return { filename, contentType, contentId, field, source };
}

function readSource(
  value: Record<string, unknown>,
  field: string,
  fields: FieldErrors,
): NewAttachment["source"] | null {
  const { content, storage } = value;
  if (!isAbsent(storage)) {
    if (!isAbsent(content)) fields[`${field}.content`] = ["not_allowed"];
    if (!isObject(storage)) {
      fields[`${field}.storage`] = ["invalid"];
      return null;
    }
    const { bucket, path } = storage;
    for (const [name, text] of Object.entries({ bucket, path })) {
      if (isAbsent(text) || text === "") fields[`${field}.storage.${name}`] = ["required"];
      else if (typeof text !== "string" || text.length > 1024) fields[`${field}.storage.${name}`] = ["invalid"];
    }
    return typeof bucket === "string" && typeof path === "string" ? { kind: "storage", bucket, path } : null;
  }
  if (isAbsent(content)) {
    if (isAbsent(value.path)) fields[`${field}.content`] = ["required"];
    return null;
  }
  const bytes = readContent(content);
  if (bytes === null) fields[`${field}.content`] = ["invalid"];
  return bytes === null ? null : { kind: "bytes", bytes };
}

/** Returns the numbers of a content that is not base64: a list, as Python's SDK sends it, or a `Buffer` of Node in JSON. */
function numbersOf(content: unknown): unknown[] | null {
  if (Array.isArray(content)) return content;
  return isObject(content) && content.type === "Buffer" && Array.isArray(content.data) ? content.data : null;
}

const sizeOf = (content: unknown): number =>
  typeof content === "string" ? base64Size(content) : (numbersOf(content)?.length ?? 0);

function readContent(content: unknown): Uint8Array | null {
  if (typeof content === "string") return decodeBase64(content);
  const numbers = numbersOf(content);
  const isByte = (entry: unknown) => typeof entry === "number" && Number.isInteger(entry) && entry >= 0 && entry <= 255;
  return numbers?.every(isByte) ? Uint8Array.from(numbers as number[]) : null;
}

function readFilename(
  value: unknown,
  source: NewAttachment["source"] | null,
  field: string,
  fields: FieldErrors,
): string {
  const isMissing = isAbsent(value) || (typeof value === "string" && value.trim() === "");
  const name = isMissing && source?.kind === "storage" ? source.path.slice(source.path.lastIndexOf("/") + 1) : value;
  if (typeof name !== "string" || name.trim() === "") {
    fields[`${field}.filename`] = [isMissing ? "required" : "invalid"];
    return "";
  }
  // Slashes, `.` and `..` would let a mail program write outside its folder.
  const isValid = !HIDDEN_CHARACTERS.test(name) && !LONE_SURROGATE.test(name) && !/[/\\]|^\s*\.{1,2}\s*$/.test(name);
  if (!isValid) fields[`${field}.filename`] = ["invalid"];
  else if (name.length > MAX_FILENAME) fields[`${field}.filename`] = ["too_long"];
  return name.trim();
}

function readContentType(
  value: unknown,
  { filename, source }: { filename: string; source: NewAttachment["source"] | null },
  field: string,
  fields: FieldErrors,
): string | null {
  if (isAbsent(value) || value === "") return source?.kind === "storage" ? null : mimeTypeOf(null, filename);
  const type = typeof value === "string" ? mediaTypeOf(value) : "";
  if (!MEDIA_TYPE.test(type)) fields[`${field}.content_type`] = ["invalid"];
  return type;
}

/** Returns a media type in lower case without its parameters. */
export const mediaTypeOf = (type: string): string => type.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Returns the type of the part of a file. RFC 2045, 6.4, forbids base64 in parts that themselves consist of parts or mails. */
export const partTypeOf = (type: string): string =>
  /^(?:multipart|message)\//.test(type) ? DEFAULT_TYPE : type || DEFAULT_TYPE;

function readContentId(value: unknown, field: string, fields: FieldErrors): string | null {
  if (isAbsent(value) || value === "") return null;
  const contentId = typeof value === "string" ? value.replace(/^<(.*)>$/, "$1") : "";
  if (!CONTENT_ID.test(contentId)) fields[`${field}.content_id`] = ["invalid"];
  return contentId;
}

import { invalid } from "../../../kit/problem";
import type { EmailSettings } from "../../settings";
import type { EmailDocument } from "../format/document";
import { validateDocument } from "../render/validation";

/** Maximum bytes of a request body with a document. */
export const MAX_DOCUMENT_BODY_BYTES = 2_097_152;

type DocumentSettings = Pick<EmailSettings, "debug" | "maxDocumentBytes">;
type Texts = { subject: string; preheader: string };

/** Returns a valid document. Throws 400 `document: [<code>]` with the first failed check. */
export function requireDocument(value: unknown, texts: Texts, settings: DocumentSettings): EmailDocument {
  const { debug, maxDocumentBytes: maxBytes } = settings;
  const result = validateDocument(value, { debug, maxBytes, ...texts });
  if (!result.ok) throw invalid({ document: [result.code] });
  return value as EmailDocument;
}

/** Checks subject and preheader when the request keeps the stored document. Throws 400 `document: [<code>]`. */
export function requireTexts(texts: Texts, settings: DocumentSettings): void {
  requireDocument({ type: "doc", content: [] }, texts, settings);
}

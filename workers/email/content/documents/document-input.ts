import { invalid } from "../../../kit/problem";
import type { EmailSettings } from "../../settings";
import type { EmailDocument } from "../format/document";
import { validateDocument } from "../render/validation";

/** The largest body that brings a document. */
export const MAX_DOCUMENT_BODY_BYTES = 2_097_152;

type DocumentSettings = Pick<EmailSettings, "debug" | "maxDocumentBytes">;
type Texts = { subject: string; preheader: string };

/** A document that may be kept and composed; 400 `document: [<code>]` with the first check that it fails. */
export function requireDocument(value: unknown, texts: Texts, settings: DocumentSettings): EmailDocument {
  const { debug, maxDocumentBytes: maxBytes } = settings;
  const result = validateDocument(value, { debug, maxBytes, ...texts });
  if (!result.ok) throw invalid({ document: [result.code] });
  return value as EmailDocument;
}

/** The part of the checks that looks at subject and preheader, where their document stays as it is. */
export function requireTexts(texts: Texts, settings: DocumentSettings): void {
  requireDocument({ type: "doc", content: [] }, texts, settings);
}

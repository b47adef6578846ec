import type { VersionRow } from "../../../../db/email/rows";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { sha256Hex } from "../../../kit/crypto/hash";
import { invalid } from "../../../kit/problem";
import { type MailDraft, tokenUsesOf } from "../../content/documents/document-text";
import { composeDocument, RENDERER_VERSION } from "../../content/render/compose";
import { MailTooLargeError } from "../../content/tokens/size";
import { Problem } from "../../problem";

/** What composition makes of a draft, as a version keeps it. */
export type ComposedVersion = Pick<
  VersionRow,
  "id" | "subject" | "preheader" | "document" | "html" | "text" | "renderer_version" | "checksum" | "uses"
>;

/** The look and the language of a mail; `isBranded` false: as it is drawn, for showing without a company. */
export type MailLook = { set: string; language: EmailLanguage; isBranded?: boolean };

/** A row of the database holds 2 MB. */
const MAX_ROW_BYTES = 1_900_000;
const ID_BYTES = 6;

/** The refusal of a document whose mail is larger than one may be, or than can be kept. */
export const tooLarge = () => invalid({ document: ["render_failed"] });

/**
 * Composes a valid document. 400 `document: [render_failed]` when the mail is larger than a version can hold, 503
 * `renderer_unavailable` when it cannot be composed at all.
 */
export async function composeVersion(draft: MailDraft, look: MailLook): Promise<ComposedVersion> {
  const { subject, preheader } = draft;
  const document = JSON.stringify(draft.document);
  const { html, text } = composeMailOf(draft, look);
  const size = [document, html, text].reduce((sum, part) => sum + utf8ToBytes(part).length, 0);
  if (size > MAX_ROW_BYTES) throw tooLarge();
  return {
    id: newVersionId(),
    subject,
    preheader,
    document,
    html,
    text,
    renderer_version: RENDERER_VERSION,
    checksum: await sha256Hex([subject, html, text].join("\n")),
    uses: tokenUsesOf(draft),
  };
}

/** HTML and text of a draft, with its tokens; 400 `document: [render_failed]` when they are too large, 503 `renderer_unavailable`. */
export function composeMailOf({ subject, preheader, document }: MailDraft, look: MailLook) {
  try {
    return composeDocument(document, { ...look, subject, preheader });
  } catch (cause) {
    if (cause instanceof MailTooLargeError) throw tooLarge();
    throw new Problem("renderer_unavailable", { cause });
  }
}

function newVersionId(): number {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return bytes.reduce((id, byte) => id * 256 + byte, 0) + 1;
}

import type { VersionRow } from "../../../../db/email/rows";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { sha256Hex } from "../../../kit/crypto/hash";
import { invalid } from "../../../kit/problem";
import { type MailDraft, tokenUsesOf } from "../../content/documents/document-text";
import { composeDocument, RENDERER_VERSION } from "../../content/render/compose";
import { MailTooLargeError } from "../../content/tokens/size";
import { Problem } from "../../problem";

/** The columns of a version that `composeVersion` returns. */
export type ComposedVersion = Pick<
  VersionRow,
  "id" | "subject" | "preheader" | "document" | "html" | "text" | "renderer_version" | "checksum" | "uses"
>;

/**
 * The design set and language of a mail. If `isBranded` is false, the mail uses the default colours instead of the branding of
 * a company.
 */
export type MailLook = { set: string; language: EmailLanguage; isBranded?: boolean };

/** D1 limits a row to 2 MB. */
const MAX_ROW_BYTES = 1_900_000;
const ID_BYTES = 6;

/** Returns the error 400 `document: [render_failed]` for a mail that is too large to send or to store. */
export const tooLarge = () => invalid({ document: ["render_failed"] });

/**
 * Composes a version from a valid document. Throws 400 `document: [render_failed]` when the mail is too large to store, and
 * 503 `renderer_unavailable` when composition fails.
 */
export async function composeVersion(draft: MailDraft, look: MailLook): Promise<ComposedVersion> {
  const { subject, preheader } = draft;
  const document = JSON.stringify(draft.document);
  const { html, text } = composeDraft(draft, look);
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

/**
 * Returns the HTML and text of a draft; tokens are not replaced. Throws 400 `document: [render_failed]` or 503
 * `renderer_unavailable`.
 */
export function composeDraft({ subject, preheader, document }: MailDraft, look: MailLook) {
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

import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { findAuthProblem } from "../../content/documents/auth-checks";
import { type MailDraft, READER_TOKENS, tokenUsesOf } from "../../content/documents/document-text";
import type { MailContent } from "../../content/tokens/substitution";

/** What an author should know of a draft; `detail` names the token, the field or the size. */
export type Warning = { code: string; detail: string };

/** From this size on, in bytes, Gmail cuts a mail off and hides the rest behind a link. */
const GMAIL_CUT_BYTES = 102_400;

/** What keeps a draft from being published, and what its readers would miss. */
export function warningsOf(
  event: CatalogEvent,
  draft: MailDraft,
  { html }: Pick<MailContent, "html">,
  authLinkHosts: readonly string[],
): Warning[] {
  const problem = findAuthProblem(event, draft, authLinkHosts);
  const unpublished = Object.entries(problem?.field_errors ?? {}).map(([field, codes]) => ({
    code: problem?.code ?? "",
    detail: `${field}: ${codes.join(", ")}`,
  }));
  const declared = new Set(event.variables.map(({ token }) => token));
  const unknown = tokenUsesOf(draft).tokens.filter((token) => !declared.has(token) && !isFilledByPlatform(token));
  const bytes = utf8ToBytes(html).length;
  return [
    ...unpublished,
    ...unknown.map((token) => ({ code: "unknown_token", detail: token })),
    ...(bytes > GMAIL_CUT_BYTES ? [{ code: "cut_by_gmail", detail: `${bytes} bytes` }] : []),
  ];
}

/** Tokens that every mail may have, whatever its event declares. */
const isFilledByPlatform = (token: string) => READER_TOKENS.includes(token) || token.startsWith("system.");

import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { isSystemToken } from "../catalog/system-tokens";
import { declaredTokens } from "../catalog/variables";
import type { MailContent } from "../tokens/substitution";
import { findAuthProblem } from "./auth-checks";
import { type MailDraft, READER_TOKENS, tokenUsesOf, unknownLists } from "./document-text";

/** A warning for the author of a draft or a published version. `detail` is the token, the field or the size. */
export type Warning = { code: string; detail: string };

/** Gmail truncates mails above this size and hides the rest behind a link. */
const GMAIL_CLIP_BYTES = 102_400;

/** Returns the failed publish checks of a draft, its unknown tokens, and whether Gmail would truncate the mail. */
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
  const bytes = utf8ToBytes(html).length;
  return [
    ...unpublished,
    ...unknownLists(event, draft.document).map((list) => ({ code: "list_unknown", detail: list })),
    ...unknownTokensOf(event, draft).map((token) => ({ code: "unknown_token", detail: token })),
    ...(bytes > GMAIL_CLIP_BYTES ? [{ code: "cut_by_gmail", detail: `${bytes} bytes` }] : []),
  ];
}

/** Returns the tokens that have a value in no mail of the event. Lists that the event does not declare are not among them. */
export function unknownTokensOf(event: CatalogEvent, draft: MailDraft): string[] {
  const known = new Set([...declaredTokens(event), ...unknownLists(event, draft.document)]);
  return tokenUsesOf(draft).tokens.filter((token) => !known.has(token) && !isFilledByPlatform(token));
}

/** Returns whether a token is available in every mail, even if the event does not declare it. */
const isFilledByPlatform = (token: string) => READER_TOKENS.includes(token) || isSystemToken(token);

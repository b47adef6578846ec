import type { MessageKey, Translate } from "../i18n/translate.ts";
import type { ServiceError } from "../session/service-error.ts";

/** Error codes that have their own texts. */
const codesWithTexts = new Set([
  "access_pending",
  "access_denied",
  "magic_link_disabled",
  "magic_link_invalid",
  "auth_code_invalid",
  "redirect_not_allowed",
  "rate_limited",
  "service_unavailable",
  "unreachable",
  "invalid_oauth_state",
  "provider_disabled",
  "oauth_client_unavailable",
  "oauth_provider_denied",
  "oauth_email_missing",
  "oauth_email_unverified",
  "company_mismatch",
  "wallet_missing",
  "wallet_denied",
  "forbidden",
]);
/** Codes that share the text of another code. */
const aliases: Record<string, string> = {
  code_verifier_required: "auth_code_invalid",
  code_verifier_invalid: "auth_code_invalid",
  sign_in_code_invalid: "magic_link_invalid",
  missing_code: "oauth",
  token_exchange_failed: "oauth",
};

/** Returns the text key of an error. */
export function textKeyOf({ code, status }: Pick<ServiceError, "code" | "status">): string {
  if (codesWithTexts.has(code)) return code;
  const alias = aliases[code];
  if (alias !== undefined) return alias;
  if (code.startsWith("oauth_")) return "oauth";
  return status === 403 ? "forbidden" : status >= 500 ? "service_unavailable" : "other";
}

/** Returns the title and the explanation of an error. */
export function describeError(error: ServiceError, t: Translate, origin: string): { title: string; text: string } {
  const key = textKeyOf(error);
  const keyFor = (name: string) => `login.error.${name}` as MessageKey;
  const { retryAfter } = error;
  if (key === "rate_limited" && retryAfter !== null)
    return { title: t(keyFor(key)), text: t("login.error.rate_limited.wait", { time: formatMinutes(retryAfter) }) };
  return { title: t(keyFor(key)), text: t(keyFor(`${key}.text`), { origin }) };
}

/** Formats seconds as `m:ss`. */
export const formatMinutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

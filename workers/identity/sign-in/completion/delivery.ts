import type { FieldErrors } from "../../../../schemas/errors";
import { invalid } from "../../../kit/problem";
import type { TokenPayload } from "../../caller/credentials/token";

function appendQuery(url: URL, pairs: [string, string][]): string {
  const target = new URL(url);
  const added = new URLSearchParams(pairs).toString();
  target.search = target.search ? `${target.search}&${added}` : `?${added}`;
  return target.href;
}

/**
 * Returns how the tokens are delivered. A request may always choose `code`. It may choose `fragment` only if the setting is
 * `fragment`, else this throws 400 `[not_allowed]`. A PKCE challenge forces `code`.
 */
export function chooseDelivery(
  requested: "code" | "fragment" | null | undefined,
  challenge: string | null | undefined,
  setting: "code" | "fragment",
): "code" | "fragment" {
  const errors: FieldErrors = { token_delivery: ["not_allowed"] };
  if (requested === "fragment" && setting !== "fragment") throw invalid(errors);
  if (challenge) return "code";
  return requested ?? setting;
}

/** Returns the redirect location for the delivery `code`. */
export function codeLocation(url: URL, code: string): string {
  return appendQuery(url, [["platform_auth_code", code]]);
}

/** Returns the redirect location for a rejection, with a sentence for users and an error code. */
export function errorLocation(url: URL, code: string, sentence: string): string {
  return appendQuery(url, [
    ["platform_oauth_error", sentence.slice(0, 500)],
    ["platform_oauth_error_code", code],
  ]);
}

/** Returns the redirect location for the delivery `fragment`. Applications may rely on the order of the pairs. */
export function fragmentLocation(url: URL, payload: TokenPayload): string {
  const pairs = new URLSearchParams([
    ["access_token", payload.access_token],
    ["refresh_token", payload.refresh_token],
    ["token_type", payload.token_type],
    ["expires_at", String(payload.expires_at)],
    ["expires_in", String(payload.expires_in)],
    ["provider", payload.provider],
  ]);
  return `${url.href}#${pairs}`;
}

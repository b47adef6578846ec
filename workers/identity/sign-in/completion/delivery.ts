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
 * How a sign-in hands over: a request may ask for the safer `code`, never for `fragment` against the setting; a challenge
 * forces `code`. 400 `[not_allowed]`.
 */
export function chooseDelivery(
  asked: "code" | "fragment" | null | undefined,
  challenge: string | null | undefined,
  setting: "code" | "fragment",
): "code" | "fragment" {
  const errors: FieldErrors = { token_delivery: ["not_allowed"] };
  if (asked === "fragment" && setting !== "fragment") throw invalid(errors);
  if (challenge) return "code";
  return asked ?? setting;
}

/** Location of delivery `code`. */
export function codeLocation(url: URL, code: string): string {
  return appendQuery(url, [["platform_auth_code", code]]);
}

/** Location of a refusal, with a sentence for people and a code. */
export function errorLocation(url: URL, code: string, sentence: string): string {
  return appendQuery(url, [
    ["platform_oauth_error", sentence.slice(0, 500)],
    ["platform_oauth_error_code", code],
  ]);
}

/** Location of delivery `fragment`; applications may rely on the order of the pairs. */
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

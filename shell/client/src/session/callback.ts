import type { PageBackend } from "../../../../schemas/shell/page.ts";
import type { Tokens } from "./adapters/adapter.ts";
import { readTokens } from "./adapters/claims.ts";
import { projectCode } from "./adapters/project-error.ts";

/** The address of a sign-in callback before its secrets were removed. */
export type CallbackAddress = {
  origin: string;
  pathname: string;
  search: string;
  hash: string;
  /** incremented when the user retries */
  attempt?: number;
};

export type Callback = {
  code?: string;
  tokens?: Tokens;
  /** present when the sign-in started in this browser */
  state?: string;
  error?: string;
  next: string | null;
  /** the redirect address that the service received, byte for byte */
  redirectTo: string;
};

/** Parses a callback address. Reads the code of an error but never its message. */
export function readCallback(address: CallbackAddress, type: PageBackend["type"]): Callback {
  const { origin, pathname, search, hash } = address;
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.slice(1));
  const state = query.get("state");
  const code = query.get("platform_auth_code") ?? (type === "supabase" ? query.get("code") : null);
  const error = readError(query, type) ?? readError(fragment, type);
  const hasTokens = fragment.has("access_token") && fragment.has("refresh_token");
  return {
    ...(state !== null && { state }),
    ...(error !== null && { error }),
    ...(code !== null && code !== "" && { code }),
    ...(hasTokens && code === null && { tokens: readTokens(Object.fromEntries(fragment)) }),
    next: query.get("next"),
    // Static hosts add a trailing slash that the requested redirect address did not have.
    redirectTo: origin + pathname.replace(/\/$/, "") + withoutParameter(search, "platform_auth_code"),
  };
}

/** Removes a parameter from a query as text, so that the rest remains byte for byte the same. */
export function withoutParameter(search: string, name: string): string {
  const remaining = search
    .replace(/^\?/, "")
    .split("&")
    .filter((part) => part !== name && !part.startsWith(`${name}=`))
    .join("&");
  return remaining === "" ? "" : `?${remaining}`;
}

function readError(parameters: URLSearchParams, type: PageBackend["type"]): string | null {
  const platformError = parameters.get("platform_oauth_error_code");
  if (platformError !== null) return safeCode(platformError);
  if (parameters.has("platform_oauth_error")) return "oauth_failed";
  if (type !== "supabase") return null;
  const code = parameters.get("error_code");
  if (code !== null) return safeCode(projectCode(code));
  const error = parameters.get("error");
  return error === "access_denied" ? "oauth_provider_denied" : error === null ? null : safeCode(projectCode(error));
}

/** Error codes are single words. Any other text is replaced, so that it is not shown. */
const safeCode = (code: string) => (/^[a-z0-9_]{1,64}$/.test(code) ? code : "oauth_failed");

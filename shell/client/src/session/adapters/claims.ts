import { serviceError } from "../service-error.ts";
import type { Preferences, SessionUser, Tokens } from "./adapter.ts";
import { fieldsOf, readText } from "./call.ts";

/** Returns the user and the preferences in an access token. The token is decoded, not verified; services verify it. */
export function readClaims(accessToken: string): { user: SessionUser; preferences: Preferences } {
  const claims = decode(accessToken);
  const metadata = fieldsOf(claims.user_metadata);
  const id = textOf(claims.sub) ?? textOf(claims.user_id);
  if (id === null) throw serviceError("token_invalid", { status: 401 });
  const company = Number(claims.company_id ?? Number.NaN);
  return {
    user: {
      id,
      email: readText(claims, "email") ?? "",
      name: readText(metadata, "full_name") ?? readText(metadata, "name") ?? walletName(metadata.custom_claims),
      avatarUrl: readText(metadata, "avatar_url"),
      provider: readText(claims.app_metadata, "provider") ?? "",
      groups: Array.isArray(metadata.groups) ? metadata.groups.filter((group) => typeof group === "string") : [],
      isStaff: metadata.is_staff === true || claims.is_staff === true,
      isCompanyOwner: metadata.is_company_owner === true,
      companyId: Number.isInteger(company) ? company : null,
    },
    preferences: readPreferences(metadata.platformPreferences),
  };
}

/** Returns a shortened account address. Wallet users have neither a name nor an email address. */
function walletName(claims: unknown): string {
  const account = readText(claims, "address") ?? "";
  return /^0x[0-9a-f]{40}$/i.test(account) ? `${account.slice(0, 6)}…${account.slice(-4)}` : "";
}

const textOf = (value: unknown) =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;

function decode(token: string): Record<string, unknown> {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return fieldsOf(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0)))));
  } catch {
    throw serviceError("token_invalid", { status: 401 });
  }
}

/** Reads preferences from untrusted fields. */
function readPreferences(value: unknown): Preferences {
  const { colorScheme: scheme } = fieldsOf(value);
  const [themeName, language, region] = ["themeName", "language", "region"].map((name) => readText(value, name));
  return {
    ...(themeName && { themeName }),
    ...(language && { language }),
    ...(region && { region }),
    ...((scheme === "light" || scheme === "dark" || scheme === "system") && { colorScheme: scheme }),
  };
}

/** Reads a token pair from a response or a URL fragment. Numbers may be strings. Throws when a token is missing. */
export function readTokens(payload: unknown): Tokens {
  const accessToken = readText(payload, "access_token");
  const refreshToken = readText(payload, "refresh_token");
  if (accessToken === null || refreshToken === null) throw serviceError("auth_code_invalid", { status: 400 });
  const { expires_in, expires_at } = fieldsOf(payload);
  const lifetime = Number(expires_in ?? Number.NaN);
  const remaining = Number(expires_at ?? Number.NaN) - Date.now() / 1000;
  const expiresIn = [lifetime, remaining].find((seconds) => Number.isFinite(seconds) && seconds > 0) ?? 60;
  return { accessToken, refreshToken, expiresIn };
}

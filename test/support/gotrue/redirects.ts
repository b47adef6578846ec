import { type GoTrueRefusal, parametersOf } from "./refusal.ts";

/** Where people go who may not go where they wanted. */
export const SITE_URL = "http://localhost:3000";

/** The address somebody wanted, when it is one of the site; ports of a loopback site are its own affair. */
export function allowedOr(wanted: string | null): string {
  if (wanted === null || !URL.canParse(wanted)) return SITE_URL;
  const { protocol, hostname } = new URL(wanted);
  const site = new URL(SITE_URL);
  return protocol === site.protocol && hostname === site.hostname ? wanted : SITE_URL;
}

/** Names in alphabetical order, as Go writes them; `sb` marks what comes from the server. */
const encode = (values: Record<string, string>): string =>
  new URLSearchParams(Object.entries({ ...values, sb: "" }).toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();

/** Back with tokens, in the fragment. */
export function withTokens(address: string, tokens: Record<string, unknown>, type: string): string {
  const { access_token, expires_at, expires_in, refresh_token, token_type } = tokens;
  const texts = { access_token, expires_at, expires_in, refresh_token, token_type, type };
  return `${address}#${encode(Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, String(value)])))}`;
}

/** Back with a code, in the query. */
export function withCode(address: string, code: string): string {
  const back = new URL(address);
  back.searchParams.set("code", code);
  return back.href;
}

/** Back with a refusal: in the fragment, and of a provider in the query too. */
export function withRefusal(
  address: string,
  refusal: GoTrueRefusal | Record<string, string>,
  isProvider: boolean,
): string {
  const values = refusal instanceof Error ? parametersOf(refusal) : refusal;
  const back = new URL(address);
  if (isProvider) for (const [name, value] of Object.entries(values)) back.searchParams.set(name, value);
  back.hash = encode(values);
  return back.href;
}

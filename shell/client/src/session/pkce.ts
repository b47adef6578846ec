import { randomText, toBase64Url } from "./service-error.ts";

/** State that a tab keeps while the user is at a provider. */
export type Flow = { verifier: string; redirectTo: string; next: string; provider: string; at: number };

const keyOf = (state: string) => `platform:flow:${state}`;
const MAX_AGE = 15 * 60_000;
/** Maximum length of a redirect address at the service. */
const MAX_REDIRECT = 2_048;

/** Returns the S256 challenge of a verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  const bytes = new TextEncoder().encode(verifier);
  // `crypto.subtle` is missing on pages without HTTPS.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  const hash =
    subtle === undefined
      ? (await import("./sha256.ts")).sha256(bytes)
      : new Uint8Array(await subtle.digest("SHA-256", bytes));
  return toBase64Url(hash);
}

/** Returns the callback address of a sign-in. Omits `next` when the address would be too long; a flow also stores `next`. */
export function callbackAddress(origin: string, next: string, state?: string): string {
  const base = `${origin}/login/callback`;
  const query = new URLSearchParams();
  if (state !== undefined) query.set("state", state);
  const shortAddress = query.size === 0 ? base : `${base}?${query}`;
  if (next !== "/") query.set("next", next);
  const fullAddress = query.size === 0 ? base : `${base}?${query}`;
  return fullAddress.length > MAX_REDIRECT ? shortAddress : fullAddress;
}

/** Starts a flow and stores it in this tab. Returns its redirect address and challenge. */
export async function startFlow(
  origin: string,
  { provider, next }: { provider: string; next: string },
): Promise<{ redirectTo: string; challenge: string }> {
  const state = randomText(16);
  const verifier = randomText(32);
  const redirectTo = callbackAddress(origin, next, state);
  const flow: Flow = { verifier, redirectTo, next, provider, at: Date.now() };
  sessionStorage.setItem(keyOf(state), JSON.stringify(flow));
  return { redirectTo, challenge: await challengeOf(verifier) };
}

/** Returns the flow of a state and deletes it. Returns null when it is unknown or expired. */
export function consumeFlow(state: string): Flow | null {
  const text = sessionStorage.getItem(keyOf(state));
  sessionStorage.removeItem(keyOf(state));
  if (text === null) return null;
  const flow = JSON.parse(text) as Flow;
  return Date.now() - flow.at < MAX_AGE ? flow : null;
}

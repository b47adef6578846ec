import { randomText, toBase64Url } from "./service-error.ts";

/** What a tab keeps of a sign-in that went to a provider. */
export type Flow = { verifier: string; redirectTo: string; next: string; provider: string; at: number };

const keyOf = (state: string) => `platform:flow:${state}`;
const LIFE = 15 * 60_000;
/** Longest address the service takes. */
const MAX_REDIRECT = 2_048;

/** S256 of a verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  const bytes = new TextEncoder().encode(verifier);
  // Pages without https have no such function of the browser's.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  const hash =
    subtle === undefined
      ? (await import("./sha256.ts")).sha256(bytes)
      : new Uint8Array(await subtle.digest("SHA-256", bytes));
  return toBase64Url(hash);
}

/** Where a sign-in comes back to. `next` is left out where the whole would be too long; a flow keeps it anyway. */
export function callbackAddress(origin: string, next: string, state?: string): string {
  const base = `${origin}/login/callback`;
  const query = new URLSearchParams();
  if (state !== undefined) query.set("state", state);
  const short = query.size === 0 ? base : `${base}?${query}`;
  if (next !== "/") query.set("next", next);
  const full = query.size === 0 ? base : `${base}?${query}`;
  return full.length > MAX_REDIRECT ? short : full;
}

/** Begins a flow: its address to come back to, and the challenge. */
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

/** The flow of a state, once; null when there is none or it is over. */
export function takeFlow(state: string): Flow | null {
  const text = sessionStorage.getItem(keyOf(state));
  sessionStorage.removeItem(keyOf(state));
  if (text === null) return null;
  const flow = JSON.parse(text) as Flow;
  return Date.now() - flow.at < LIFE ? flow : null;
}

import type { MailSinkState } from "../mail-sink/worker.ts";
import { type Call, send } from "./load.ts";
import type { Runtime } from "./runtime.ts";

export type Tokens = { access_token: string; refresh_token: string };

export const redirectTo = "http://localhost:5173/login/callback";

/** Returns an address of the network for benchmarks (RFC 2544). Limits by address then count each user separately. */
const ipOf = (index: number) => `198.18.${index >> 8}.${index & 255}`;

/** Returns a call that posts JSON from the client address with the number `from`. */
export function post(url: string, from: number, body: unknown, headers: Record<string, string> = {}): Call {
  return {
    url,
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": ipOf(from), ...headers },
    body: JSON.stringify(body),
  };
}

/** Returns the calls of a sign-in at identity's base URL. `from` is the number of the client's address. */
export function signInCalls(base: string) {
  const api = `${base}/api/v1`;
  return {
    requestLink: (from: number, email: string) =>
      post(`${api}/magic-link/request`, from, { company_id: 1, email, redirect_to: redirectTo }),
    consume: (from: number, token: string) => post(`${api}/magic-link/verify`, from, { company_id: 1, token }),
    refresh: (from: number, { refresh_token }: Tokens) =>
      post(`${api}/token?grant_type=refresh_token`, from, { refresh_token }),
    user: (from: number, { access_token }: Tokens): Call => ({
      url: `${api}/user`,
      method: "GET",
      headers: { authorization: `Bearer ${access_token}`, "cf-connecting-ip": ipOf(from) },
    }),
    logout: (from: number, { access_token, refresh_token }: Tokens) =>
      post(`${api}/logout`, from, { refresh_token }, { authorization: `Bearer ${access_token}` }),
  };
}

/** Returns the token of a sign-in link. */
export function tokenOf(link: string): string {
  const token = new URL(link).searchParams.get("token");
  if (token === null) throw new Error("a sign-in link has no token");
  return token;
}

/** Signs in the owner of company 1 with the link that the mail sink received. Returns the access token. */
export async function signInOwner(runtime: Runtime): Promise<string> {
  const calls = signInCalls(await runtime.url("platform-identity"));
  const address = "owner@example.com";
  await send(calls.requestLink(0, address));
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { links } = (await (await fetch(await runtime.url("mail-sink"))).json()) as MailSinkState;
    const link = links[address];
    if (link) return (JSON.parse((await send(calls.consume(0, tokenOf(link)))).text) as Tokens).access_token;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("no link for the owner");
}

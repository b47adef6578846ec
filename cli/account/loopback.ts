import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const limitMs = 180_000;

/** What came back from a sign-in: the code to exchange, or the code of the error. */
export type Callback = { code: string } | { error: string };

export type Loopback = {
  /** where the sign-in leads back to, its state included; the exchange names it byte for byte */
  redirectTo: string;
  /** undefined when nothing came in time */
  wait: () => Promise<Callback | undefined>;
};

/** Listens on this machine for the end of one sign-in. Calls with another state are refused, and the wait goes on. */
export async function openLoopback(state: string, waitMs = limitMs): Promise<Loopback> {
  let resolve: (end: Callback | undefined) => void = () => undefined;
  const promise = new Promise<Callback | undefined>((done) => {
    resolve = done;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== "/callback")
      return answer(response, 404, "There is nothing here.");
    if (!isSame(url.searchParams.get("state") ?? "", state))
      return answer(response, 400, "This sign-in is not the one that is waited for.");
    const error = url.searchParams.get("platform_oauth_error_code") ?? url.searchParams.get("platform_oauth_error");
    const code = url.searchParams.get("platform_auth_code");
    if (error === null && code === null) return answer(response, 400, "This sign-in brought no code.");
    answer(
      response,
      200,
      error === null ? "You are signed in. You may close this page." : "The sign-in failed. See the terminal.",
    );
    resolve(code === null ? { error: error ?? "" } : { code });
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const wait = async () => {
    const timer = setTimeout(() => resolve(undefined), waitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    }
  };
  return { redirectTo: `http://127.0.0.1:${port}/callback?state=${state}`, wait };
}

/** In a time that says nothing about how much is equal. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    Connection: "close",
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>platform</title><body style="font:16px/1.5 system-ui,sans-serif;margin:4rem auto;max-width:28rem;padding:0 1.5rem"><p>${text}</p>`);
}

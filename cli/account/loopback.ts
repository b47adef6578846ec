import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PAGE_TOKENS } from "../../schemas/look/page-tokens.ts";

export const limitMs = 180_000;

/** The result of a sign-in in the browser: a code to exchange, or an error code. */
export type Callback = { code: string } | { error: string };

export type Loopback = {
  /** the redirect URL with its state; the code exchange must send exactly the same URL */
  redirectTo: string;
  /** resolves to undefined after the time limit */
  wait: () => Promise<Callback | undefined>;
};

/** Listens on this machine for the redirect of one sign-in. Rejects requests with another state and keeps waiting. */
export async function openLoopback(state: string, waitMs = limitMs): Promise<Loopback> {
  let resolve: (result: Callback | undefined) => void = () => undefined;
  const promise = new Promise<Callback | undefined>((done) => {
    resolve = done;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== "/callback")
      return respond(response, 404, "There is no page here", "Close this page and return to the terminal.");
    if (!equalsInConstantTime(url.searchParams.get("state") ?? "", state))
      return respond(response, 400, "This link belongs to another sign-in", "Run the command again.");
    const error = url.searchParams.get("platform_oauth_error_code") ?? url.searchParams.get("platform_oauth_error");
    const code = url.searchParams.get("platform_auth_code");
    if (error === null && code === null)
      return respond(response, 400, "The sign-in response has no code", "Run the command again.");
    if (error === null) respond(response, 200, "You are signed in", "Close this page and return to the terminal.");
    else respond(response, 200, "The sign-in failed", "The terminal says why. Close this page.");
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

/** Compares two strings in constant time. */
function equalsInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Responds with a page that looks like the sign-in page of the shell. */
function respond(response: ServerResponse, status: number, heading: string, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    Connection: "close",
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title><style>${PAGE_TOKENS}
body{margin:0;background:var(--background);color:var(--foreground);font:var(--text-lg)/1.5 var(--font-body)}
main{width:min(var(--arrive-width),100% - 2*var(--space-4));margin:calc(var(--arrive-top) + 64px) auto 0}
h1{margin:0 0 var(--space-3);font-size:var(--text-2xl);font-weight:600;line-height:1.25;letter-spacing:-.01em}p{margin:0}</style>
<main><h1>${heading}</h1><p>${text}</p></main>`);
}

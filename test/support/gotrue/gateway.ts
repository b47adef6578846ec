import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fields } from "./accounts.ts";
import { bodyOf, isRefusal, refuse } from "./refusal.ts";

/** What a call is answered with; null is an answer without content. */
type Answer = { json: object } | { redirect: string } | { html: string } | null;
export type Operation = (body: Fields, query: URLSearchParams, authorization: string | undefined) => Answer;

/** Headers that browsers may send: the server's own, and the one of the gateway before it. */
const allowedHeaders = new Set([
  ...["accept", "authorization", "content-type", "x-client-ip", "x-client-info"],
  ...["x-jwt-aud", "x-use-cookie", "x-supabase-api-version", "apikey"],
]);
/** What a browser is sent to, without a key. */
const pages = new Set(["GET /verify", "GET /authorize", "GET /callback", "GET /provider"]);

type Parts = { publishableKey: string; operations: Record<string, Operation>; calls: string[] };

/** Lets calls with the key through to their operations, named `METHOD path`, and writes down which came. */
export function createGateway({ publishableKey, operations, calls }: Parts) {
  function answer(line: string, { headers, url }: IncomingMessage, text: string): Answer {
    if (!pages.has(line) && headers.apikey !== publishableKey)
      throw refuse(401, "", headers.apikey ? "Invalid authentication credentials" : "No API key found in request");
    const operation = operations[line];
    if (operation === undefined) throw refuse(404, "unknown", "404 page not found");
    const body = text === "" ? {} : (JSON.parse(text) as Fields);
    return operation(body, new URL(url ?? "", "http://localhost").searchParams, headers.authorization);
  }

  return (request: IncomingMessage, response: ServerResponse, text: string): void => {
    if (request.method === "OPTIONS") {
      preflight(request, response);
      return;
    }
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const line = `${request.method} ${pathname.replace("/auth/v1", "")}`;
    calls.push(line);
    const version = request.headers["x-supabase-api-version"]?.toString();
    const headers = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "X-Total-Count, Link, X-Supabase-Api-Version",
      ...(version && { "X-Supabase-Api-Version": version }),
    };
    const json = (status: number, body: object) =>
      void response.writeHead(status, { ...headers, "Content-Type": "application/json" }).end(JSON.stringify(body));
    try {
      const found = answer(line, request, text);
      if (found === null) response.writeHead(204, headers).end();
      else if ("redirect" in found) response.writeHead(303, { ...headers, Location: found.redirect }).end();
      else if ("html" in found) response.writeHead(200, { "Content-Type": "text/html" }).end(found.html);
      else json(200, found.json);
    } catch (error) {
      const refusal = isRefusal(error) ? error : refuse(500, "unexpected_failure", String(error));
      json(refusal.status, bodyOf(refusal, version));
    }
  };
}

/** A browser asks which headers it may send. One that is not listed, and it may send nothing. */
function preflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const asked = headers["access-control-request-headers"]?.toLowerCase().split(/,\s*/) ?? [];
  const isAllowed = asked.every((name) => allowedHeaders.has(name));
  const allowed = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": asked.join(", "),
  };
  response.writeHead(204, isAllowed ? allowed : {}).end();
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fields } from "./accounts.ts";
import { bodyOf, goTrueError, isGoTrueError } from "./errors.ts";

/** The response of an operation; null is an empty response. */
type OperationResult = { json: object } | { redirect: string } | { html: string } | null;
export type Operation = (body: Fields, query: URLSearchParams, authorization: string | undefined) => OperationResult;

/** Headers that CORS allows: the server's headers, and `apikey`, which the gateway in front of it requires. */
const allowedHeaders = new Set([
  ...["accept", "authorization", "content-type", "x-client-ip", "x-client-info"],
  ...["x-jwt-aud", "x-use-cookie", "x-supabase-api-version", "apikey"],
]);
/** Routes that a browser opens by a link or redirect. They need no key. */
const pages = new Set(["GET /verify", "GET /authorize", "GET /callback", "GET /provider"]);

type Parts = { publishableKey: string; operations: Record<string, Operation>; calls: string[] };

/**
 * Creates a request handler that requires the publishable key, records each request as `METHOD path`, and runs the
 * operation of that name.
 */
export function createGateway({ publishableKey, operations, calls }: Parts) {
  function runOperation(line: string, { headers, url }: IncomingMessage, text: string): OperationResult {
    if (!pages.has(line) && headers.apikey !== publishableKey)
      throw goTrueError(401, "", headers.apikey ? "Invalid authentication credentials" : "No API key found in request");
    const operation = operations[line];
    if (operation === undefined) throw goTrueError(404, "unknown", "404 page not found");
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
      const result = runOperation(line, request, text);
      if (result === null) response.writeHead(204, headers).end();
      else if ("redirect" in result) response.writeHead(303, { ...headers, Location: result.redirect }).end();
      else if ("html" in result) response.writeHead(200, { "Content-Type": "text/html" }).end(result.html);
      else json(200, result.json);
    } catch (error) {
      const problem = isGoTrueError(error) ? error : goTrueError(500, "unexpected_failure", String(error));
      json(problem.status, bodyOf(problem, version));
    }
  };
}

/** Responds to a CORS preflight. A single header that is not allowed rejects the request. */
function preflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const requestedHeaders = headers["access-control-request-headers"]?.toLowerCase().split(/,\s*/) ?? [];
  const isAllowed = requestedHeaders.every((name) => allowedHeaders.has(name));
  const allowed = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": requestedHeaders.join(", "),
  };
  response.writeHead(204, isAllowed ? allowed : {}).end();
}

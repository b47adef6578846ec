import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { contentTypeOf } from "../../../cli/serve/content-types.ts";
import { tokensOf } from "../../support/shell/fake-identity.ts";

export type BenchServer = { url: string; close: () => void };

async function listen(handle: RequestListener): Promise<BenchServer> {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close };
}

const text = /^(?:text|application\/(?:json|javascript|manifest\+json))|svg/;

/** Starts a typical static host, which compresses text and lets browsers cache hashed files. */
export function serveSite(folder: string): Promise<BenchServer> {
  const compressed = new Map<string, Buffer>();
  return listen((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const requestedPath = join(folder, path);
    const file =
      existsSync(requestedPath) && statSync(requestedPath).isDirectory()
        ? join(requestedPath, "index.html")
        : requestedPath;
    const exists = existsSync(file);
    const servedFile = exists ? file : join(folder, "404.html");
    const type = contentTypeOf(servedFile);
    const cacheControl = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    const headers = { "Content-Type": type, "Cache-Control": cacheControl };
    if (!text.test(type)) return void response.writeHead(exists ? 200 : 404, headers).end(readFileSync(servedFile));
    const body = compressed.get(servedFile) ?? gzipSync(readFileSync(servedFile), { level: 9 });
    compressed.set(servedFile, body);
    response.writeHead(exists ? 200 : 404, { ...headers, "Content-Encoding": "gzip" }).end(body);
  });
}

/** Starts a minimal application, because the benchmark measures the shell. */
export const serveApplications = (): Promise<BenchServer> =>
  listen((request, response) =>
    response
      .writeHead(200, { "Content-Type": "text/html; charset=utf-8" })
      .end(`<!doctype html><title>Application</title><h1>${(request.url ?? "").replace(/[^a-z]/g, "")}</h1>`),
  );

const identity: Record<string, unknown> = {
  "/api/v1/settings": { methods: ["magic_link", "oauth"], oauthProviders: ["google"], sign_in_code: true },
  "/api/v1/token": tokensOf(),
  "/api/v1/sessions": { results: [] },
  "/storage/v1/quota": { company: { used_bytes: 1, max_bytes: null }, user: { used_bytes: 1, max_bytes: 2 } },
};

/** Starts a fake identity service, which answers the requests of a page. */
export const serveIdentity = (): Promise<BenchServer> =>
  listen((request, response) => {
    const body = identity[new URL(request.url ?? "/", "http://x").pathname];
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
    if (body === undefined || request.method === "OPTIONS") return void response.writeHead(204, headers).end();
    response.writeHead(200, { ...headers, "Content-Type": "application/json" }).end(JSON.stringify(body));
  });

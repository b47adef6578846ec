// Serves the example applications on an origin other than the shell's. Environment: `EXAMPLES_PORT` (default 3001),
// `SHELL_ORIGIN` (allowed to embed them), `PLATFORM_IDENTITY_URL` (allowed in connect-src).

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const port = Number(process.env.EXAMPLES_PORT ?? 3001);
const shellOrigin = process.env.SHELL_ORIGIN ?? "http://localhost:3000";
// Users may open the shell as localhost or as 127.0.0.1.
const shellOrigins = [shellOrigin, shellOrigin.replace("//localhost:", "//127.0.0.1:")];
const identity = new URL(process.env.PLATFORM_IDENTITY_URL ?? "http://localhost:8787/identity").origin;

const apps = fileURLToPath(new URL("./apps", import.meta.url));
const library = process.env.PLATFORM_SDK ?? fileURLToPath(new URL("../dist/shell/sdk", import.meta.url));

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const headers = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // Only these shells may frame the application, so no other page can impersonate the shell.
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    `connect-src 'self' ${identity}`,
    `frame-ancestors ${shellOrigins.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
};

/** Returns the file for a path: a file of the library or of an application, else the index page of the application. */
async function findFile(path: string): Promise<{ file: string; text: Buffer } | undefined> {
  const [, first = "", ...rest] = path.split("/");
  const filePath = first === "platform" ? join(library, ...rest) : join(apps, path);
  const pages = extname(path) === "" ? [join(apps, first, "index.html")] : [filePath];
  for (const file of pages) {
    const text = await readFile(file).catch(() => undefined);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
  if (path === "/")
    return void response.writeHead(200, { "Content-Type": "text/plain" }).end("The example applications.\n");
  const page = await findFile(path);
  if (page === undefined) return void response.writeHead(404, headers).end("Not found\n");
  const type = types[extname(page.file)] ?? "application/octet-stream";
  response.writeHead(200, { ...headers, "Content-Type": type }).end(page.text);
}

// `localhost` may resolve to 127.0.0.1 or to ::1. A machine without IPv6 listens only on 127.0.0.1.
for (const host of ["127.0.0.1", "::1"]) {
  const server = createServer((request, response) => void respond(request, response));
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (host === "::1" && error.code !== "EADDRINUSE") return;
    console.error(`The example applications cannot listen on port ${port}: ${error.message}`);
    process.exit(1);
  });
  server.listen(port, host);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));

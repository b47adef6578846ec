import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { PageData } from "../../schemas/shell/page.ts";
import { listPagePaths, renderOffline } from "../build/pages.ts";
import type { LegalFile } from "../config/legal/legal-files.ts";
import type { PageDocument } from "../page/document.ts";
import { renderManifest } from "../page/manifest.ts";
import { pageHeaders } from "../page/policy.ts";
import type { ShellFiles } from "../page/shell-files.ts";
import { contentTypeOf } from "./content-types.ts";
import { isLocalHost } from "./listen.ts";
import { prepareFile, type Slice, sendSlice } from "./static-file.ts";

/** The page and the files that the server currently serves. */
export type ServedState = {
  page: PageData;
  document: PageDocument;
  legalFiles: readonly LegalFile[];
  staticFiles: ReadonlySet<string>;
};

export type Site = {
  shell: ShellFiles;
  staticFolder: string;
  isOpen: boolean;
  state: () => ServedState;
  connect: (response: ServerResponse) => void;
};

type HttpResponse = { status: number; type: string; body: string | Buffer | Slice; headers?: Record<string, string> };

/**
 * A service worker that deletes all caches and unregisters itself. It replaces the service worker of a build that was
 * served on the same port, because the old one would keep serving stale files.
 */
const removingWorker = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
})()));
`;

export function createHandler(site: Site): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    respond(site, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else void send(request, response, plain(500, "The file could not be read."));
    });
  };
}

async function respond(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isLocalHost(request.headers.host, site.isOpen))
    return await send(request, response, plain(403, "This host is not served here."));
  if (request.method !== "GET" && request.method !== "HEAD") {
    return await send(request, response, { ...plain(405, "Only GET and HEAD."), headers: { Allow: "GET, HEAD" } });
  }
  const path = pathOf(request.url);
  if (path === undefined) return await send(request, response, plain(400, "The URL is malformed."));
  if (path === "__dev/events" && request.method === "GET") return site.connect(response);
  await send(request, response, await find(site, path, request));
}

async function find(site: Site, path: string, request: IncomingMessage): Promise<HttpResponse> {
  const { shell, staticFolder } = site;
  const { accept = "" } = request.headers;
  const { page, document, legalFiles, staticFiles } = site.state();
  const script = (body: string | Buffer): HttpResponse => ({ status: 200, type: contentTypeOf("x.js"), body });
  if (path === "__dev/client.js") return script(await readFile(join(shell.folder, "dev-client.js")));
  if (path === "sw.js") return script(removingWorker);
  if (path === "manifest.webmanifest") return file(path, renderManifest(page, shell, shell.icons));
  if (path === "offline.html")
    return file(path, renderOffline(await readFile(join(shell.folder, "offline.css"), "utf8"), page));
  if (staticFiles.has(path)) return await staticFile(join(staticFolder, path), request);
  const legal = legalFiles.find((file) => file.path === path);
  if (legal !== undefined) return file(path, legal.text);
  if (path.startsWith("assets/") && isPlainPath(path)) {
    const bytes = await readFile(join(shell.folder, path)).catch(() => undefined);
    return bytes === undefined ? plain(404, "There is no such file.") : file(path, bytes);
  }
  const folder = path.replace(/\/$/, "");
  if (folder !== "" && staticFiles.has(`${folder}/index.html`)) {
    if (path.endsWith("/")) return await staticFile(join(staticFolder, folder, "index.html"), request);
    return { ...plain(302, ""), headers: { Location: `/${folder.split("/").map(encodeURIComponent).join("/")}/` } };
  }
  const isPage = isPageAddress(folder, page);
  if (!isPage && (/\.[^/]*$/.test(folder) || !/text\/html|\*\/\*/.test(accept || "*/*")))
    return plain(404, "There is no such file.");
  const headers = { ...pageHeaders, "Content-Security-Policy": document.policy };
  return { status: isPage ? 200 : 404, type: contentTypeOf("x.html"), body: document.html, headers };
}

/** Returns whether the shell has a view for a path: its own pages, items, and all paths below them. */
function isPageAddress(path: string, { config }: PageData): boolean {
  const isWithin = (pagePath: string) => path === pagePath || path.startsWith(`${pagePath}/`);
  return path === "" || listPagePaths(config).some((pagePath) => isWithin(pagePath));
}

/** Returns the decoded path without its leading slash, or undefined if it cannot be decoded. */
function pathOf(url = "/"): string | undefined {
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname).slice(1);
  } catch {
    return undefined;
  }
}

function isPlainPath(path: string): boolean {
  return (
    !/[\\\0]/.test(path) && path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}

function file(path: string, body: string | Buffer): HttpResponse {
  return { status: 200, type: contentTypeOf(path), body };
}

/** Returns a file of `static/`. It may be a long video, so it is streamed and supports ranges. */
async function staticFile(path: string, { method, headers: requestHeaders }: IncomingMessage): Promise<HttpResponse> {
  const { status, headers, slice } = await prepareFile(path, method, requestHeaders);
  if (status === 416) return { ...plain(416, "The file has no such range."), headers };
  return { status, type: contentTypeOf(path), body: slice ?? "", headers };
}

function plain(status: number, text: string): HttpResponse {
  return { status, type: "text/plain; charset=utf-8", body: `${text}\n` };
}

async function send(request: IncomingMessage, response: ServerResponse, content: HttpResponse): Promise<void> {
  const { status, type, body, headers } = content;
  const isSlice = typeof body === "object" && "last" in body;
  response.writeHead(status, {
    "Content-Type": type,
    ...(status !== 304 && { "Content-Length": isSlice ? body.last - body.first + 1 : Buffer.byteLength(body) }),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  if (request.method === "HEAD") response.end();
  else if (isSlice) await sendSlice(body, response);
  else response.end(body);
}

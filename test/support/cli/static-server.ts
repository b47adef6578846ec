import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { contentTypeOf } from "../../../cli/serve/content-types.ts";
import type { Cleanup } from "./project.ts";

/**
 * Starts a minimal static host and returns its URL. It serves files, and redirects folders to their path with a slash.
 * `port` is a free port unless it is given. For a missing path it returns `404.html`, or its own text if `knows404` is false.
 */
export async function serveStatic(
  { onTestFinished }: Cleanup,
  folder: string,
  { knows404 = true, port = 0 } = {},
): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://x");
    const path = join(folder, normalize(decodeURIComponent(pathname)));
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    if (isFolder && !pathname.endsWith("/")) {
      response.writeHead(301, { Location: `${pathname}/${search}` }).end();
      return;
    }
    const file = isFolder ? join(path, "index.html") : path;
    const isThere = existsSync(file);
    if (!isThere && !knows404) {
      response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Not found here</h1>");
      return;
    }
    const servedFile = isThere ? file : join(folder, "404.html");
    const body = existsSync(servedFile) ? readFileSync(servedFile) : "";
    response.writeHead(isThere ? 200 : 404, { "Content-Type": contentTypeOf(servedFile) }).end(body);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

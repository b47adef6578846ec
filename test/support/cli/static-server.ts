import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { contentTypeOf } from "../../../cli/serve/content-types.ts";
import type { Cleanup } from "./project.ts";

/**
 * A static host as plain as they come: files, `index.html` of folders, to whose address it redirects, and `404.html`, unless it
 * has words of its own for what it does not find. Returns its address.
 */
export async function serveStatic(
  { onTestFinished }: Cleanup,
  folder: string,
  { knows404 = true } = {},
): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://x");
    const own = join(folder, normalize(decodeURIComponent(pathname)));
    const isFolder = existsSync(own) && statSync(own).isDirectory();
    if (isFolder && !pathname.endsWith("/")) {
      response.writeHead(301, { Location: `${pathname}/${search}` }).end();
      return;
    }
    const file = isFolder ? join(own, "index.html") : own;
    const isThere = existsSync(file);
    if (!isThere && !knows404) {
      response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Not found here</h1>");
      return;
    }
    const shown = isThere ? file : join(folder, "404.html");
    const body = existsSync(shown) ? readFileSync(shown) : "";
    response.writeHead(isThere ? 200 : 404, { "Content-Type": contentTypeOf(shown) }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { contentTypeOf } from "../../../cli/serve/content-types.ts";
import type { Cleanup } from "./project.ts";

/** A static host as plain as they come: files, `index.html` of folders, `404.html`. Returns its address. */
export async function serveStatic({ onTestFinished }: Cleanup, folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const own = join(folder, path);
    const file = existsSync(own) && statSync(own).isDirectory() ? join(own, "index.html") : own;
    const isThere = existsSync(file);
    const shown = isThere ? file : join(folder, "404.html");
    response.writeHead(isThere ? 200 : 404, { "Content-Type": contentTypeOf(shown) });
    response.end(existsSync(shown) ? readFileSync(shown) : "");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

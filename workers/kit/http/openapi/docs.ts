import type { Context } from "hono";
import { escapeHtml } from "../../pages/html";
import { Problem } from "../../problem";
import type { Service } from "../service";
import type { ApiInfo, DescribedApi } from "./document";

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; frame-ancestors 'none'";

/**
 * The server URL, relative to the document at `/api/schema/`. At `/api/schema`, without the slash, the path is one
 * level shorter.
 */
export const serverUrl = "../..";
const serverOf = (url: string) => `"servers":[{"url":"${url}"}]`;

/**
 * Mounts `/api/schema/`, `/api/docs/` and `/api/docs/redoc/`, which are served from static assets. Returns the
 * declarations from which the build generates the document.
 */
export function mountDocs<E extends { Bindings: { ASSETS: Fetcher }; Variables: object }>(
  { app, api }: Service<E>,
  info: ApiInfo,
): DescribedApi {
  app.get("/api/schema", async (c) => {
    const asset = await c.env.ASSETS.fetch(`https://assets/static/docs/${api.name}.json`);
    if (!asset.ok)
      throw new Problem("service_unavailable", { cause: new Error("the API document is missing from the assets") });
    const isNested = new URL(c.req.url).pathname.endsWith("/");
    const body = isNested ? asset.body : (await asset.text()).replace(serverOf(serverUrl), serverOf(".."));
    return new Response(body, {
      headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    });
  });
  app.get("/api/docs", (c) => docsPage(c, info.title, "swagger", 2));
  app.get("/api/docs/redoc", (c) => docsPage(c, info.title, "redoc", 3));
  for (const path of ["/api/schema", "/api/docs", "/api/docs/redoc"]) {
    app.all(path, () => {
      throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
    });
  }
  return { ...api, info };
}

/**
 * Returns a page of the API documentation. `depth` is the number of segments in its path. Relative links then work
 * under a path prefix, with and without a trailing slash.
 */
function docsPage(c: Context, title: string, kind: "swagger" | "redoc", depth: number): Response {
  const trailing = new URL(c.req.url).pathname.endsWith("/");
  const root = "../".repeat(trailing ? depth : depth - 1);
  const assets = `${root}static/docs`;
  const bundle = kind === "swagger" ? "swagger-ui-bundle.js" : "redoc.standalone.js";
  const styles = kind === "swagger" ? `<link rel="stylesheet" href="${assets}/swagger-ui.css">` : "";
  return c.html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<link rel="icon" href="data:,">${styles}</head>` +
      `<body style="margin:0"><div id="docs"></div><script src="${assets}/${bundle}"></script>` +
      `<script src="${assets}/${kind}-start.js" data-schema="${root}api/schema/"></script></body></html>`,
    200,
    { "content-security-policy": pagePolicy, "cache-control": "public, max-age=300" },
  );
}

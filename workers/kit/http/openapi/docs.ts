import type { Context } from "hono";
import { escapeHtml } from "../../pages/html";
import { Problem } from "../../problem";
import type { Service } from "../service";
import type { ApiInfo, DescribedApi, ProtocolInfo } from "./document";

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; frame-ancestors 'none'";

/** The server URL in a stored document. It is relative to a document with two segments and a slash, such as `/api/schema/`. */
export const serverUrl = "../..";
const serverOf = (url: string) => `"servers":[{"url":"${url}"}]`;

/** Returns the name of a protocol's document among the assets and in openapi/, such as `identity-scim`. */
export const protocolDocumentName = (service: string, { name }: Pick<ProtocolInfo, "name">): string =>
  `${service}-${name}`;

/**
 * Mounts `/api/schema/`, `/api/docs/` and `/api/docs/redoc/`, which are served from static assets. For a protocol such as SCIM, also
 * mounts `/api/schema/scim.json`, `/api/docs/scim/` and `/api/docs/scim/redoc/`. Returns the declarations from which the build
 * generates the documents.
 */
export function mountDocs<E extends { Bindings: { ASSETS: Fetcher }; Variables: object }>(
  { app, api }: Service<E>,
  info: ApiInfo,
  protocol: ProtocolInfo | null = null,
): DescribedApi {
  mountDocument(app, { asset: api.name, title: info.title, schema: "/api/schema", pages: "/api/docs" });
  if (protocol !== null) {
    const { name, title } = protocol;
    const asset = protocolDocumentName(api.name, protocol);
    mountDocument(app, { asset, title, schema: `/api/schema/${name}.json`, pages: `/api/docs/${name}` });
  }
  return { ...api, info, protocol };
}

type Mounted = { asset: string; title: string; schema: string; pages: string };

/** Mounts a document and its pages. */
function mountDocument<E extends { Bindings: { ASSETS: Fetcher }; Variables: object }>(
  app: Service<E>["app"],
  { asset: name, title, schema, pages }: Mounted,
): void {
  app.get(schema, async (c) => {
    const asset = await c.env.ASSETS.fetch(`https://assets/static/docs/${name}.json`);
    if (!asset.ok)
      throw new Problem("service_unavailable", { cause: new Error("the API document is missing from the assets") });
    const url = rootFrom(c, schema).slice(0, -1);
    const body = url === serverUrl ? asset.body : (await asset.text()).replace(serverOf(serverUrl), serverOf(url));
    return new Response(body, {
      headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    });
  });
  const redoc = `${pages}/redoc`;
  app.get(pages, (c) => docsPage(c, { title, schema, kind: "swagger", root: rootFrom(c, pages) }));
  app.get(redoc, (c) => docsPage(c, { title, schema, kind: "redoc", root: rootFrom(c, redoc) }));
  for (const path of [schema, pages, redoc]) {
    app.all(path, () => {
      throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
    });
  }
}

/** Returns the root of the service relative to a path, so that links work under a path prefix, with and without a trailing slash. */
function rootFrom(c: Context, path: string): string {
  const depth = path.split("/").length - 1;
  return "../".repeat(new URL(c.req.url).pathname.endsWith("/") ? depth : depth - 1);
}

type DocsPage = { title: string; schema: string; kind: "swagger" | "redoc"; root: string };

/** Returns a page of the API documentation. `root` is the relative URL of the service. */
function docsPage(c: Context, { title, schema, kind, root }: DocsPage): Response {
  const assets = `${root}static/docs`;
  const schemaPath = schema.slice(1) + (schema.endsWith(".json") ? "" : "/");
  const bundle = kind === "swagger" ? "swagger-ui-bundle.js" : "redoc.standalone.js";
  const styles = kind === "swagger" ? `<link rel="stylesheet" href="${assets}/swagger-ui.css">` : "";
  return c.html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<link rel="icon" href="data:,">${styles}</head>` +
      `<body style="margin:0"><div id="docs"></div><script src="${assets}/${bundle}"></script>` +
      `<script src="${assets}/${kind}-start.js" data-schema="${root}${schemaPath}"></script></body></html>`,
    200,
    { "content-security-policy": pagePolicy, "cache-control": "public, max-age=300" },
  );
}

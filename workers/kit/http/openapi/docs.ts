import type { Context } from "hono";
import { Problem } from "../../problem";
import { escapeHtml } from "../html";
import type { ApiDeclaration, Service } from "../service";
import type { ApiDocument } from "./generator";
import { describeOperation } from "./operation";
import { problemExamples } from "./responses";

type ApiInfo = { title: string; version: string; bearer: string };

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; frame-ancestors 'none'";

const description =
  "Every answer carries `X-Request-ID`, which a request may set. One trailing slash of a path means nothing. An error is " +
  "a JSON object with its `error_code`; an unknown path is 404 `not_found`, another method 405 `method_not_allowed` " +
  "with `Allow`. Times are ISO 8601 in UTC.";

/**
 * Mounts `/api/schema/`, `/api/docs/` and `/api/docs/redoc/` with own assets. Answers what makes the document, which is
 * made once, when it is asked for.
 */
export function mountDocs<E extends { Bindings: object; Variables: object }>(
  { app, api }: Service<E>,
  info: ApiInfo,
): () => Promise<ApiDocument> {
  let document: ApiDocument | undefined;
  const describe = async (): Promise<ApiDocument> => {
    document ??= await makeDocument(api, info);
    return document;
  };
  app.get("/api/schema", async (c) => c.json(await describe(), 200, { "cache-control": "public, max-age=300" }));
  app.get("/api/docs", (c) => docsPage(c, info.title, "swagger", 2));
  app.get("/api/docs/redoc", (c) => docsPage(c, info.title, "redoc", 3));
  for (const path of ["/api/schema", "/api/docs", "/api/docs/redoc"]) {
    app.all(path, () => {
      throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
    });
  }
  return describe;
}

/** The OpenAPI document of what is mounted. The generator is loaded here, since few isolates ever need it. */
async function makeDocument(api: ApiDeclaration, { title, version, bearer }: ApiInfo): Promise<ApiDocument> {
  const { OpenAPIRegistry, OpenApiGeneratorV31 } = await import("./generator");
  const registry = new OpenAPIRegistry();
  for (const { name, ...example } of problemExamples(api.errors, api.withMessage))
    registry.registerComponent("examples", name, example);
  for (const route of api.routes) registry.registerPath(describeOperation(route, api.errors, api.faultCode));
  registry.registerComponent("securitySchemes", "bearerAuth", { type: "http", scheme: "bearer", description: bearer });
  const generator = new OpenApiGeneratorV31(registry.definitions);
  const head = { openapi: "3.1.0", info: { title, version, description }, servers: [{ url: "../.." }] };
  return withNulls(generator.generateDocument(head));
}

/** The generator leaves null out of the values of an enum that may be null, which JSON Schema takes at its word. */
function withNulls<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withNulls) as T;
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withNulls(value)]));
  const mayBeNull = Array.isArray(copy.type) && copy.type.includes("null");
  if (mayBeNull && Array.isArray(copy.enum) && !copy.enum.includes(null)) copy.enum = [...copy.enum, null];
  return copy as T;
}

/** `depth`: segments of the path, so that relative links hold under a path prefix, with and without trailing slash. */
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

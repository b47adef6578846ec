import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Env } from "hono";
import type * as z from "zod";
import { type ErrorTable, problemSchema } from "../../../schemas/errors";
import { escapeHtml } from "./html";

type Responses = Record<string, { description: string; content?: Record<string, { schema: z.ZodType }> }>;

/** Error answers of a route, one per status, from the service's error table. */
export function problemResponses(table: ErrorTable, codes: string[]): Responses {
  const responses: Responses = {};
  for (const code of codes) {
    const entry = table[code];
    if (!entry) throw new Error(`unknown error code in a route: ${code}`);
    const line = `\`${entry.code ?? code}\`: ${entry.message}`;
    const present = responses[entry.status];
    responses[entry.status] = {
      description: present ? `${present.description}\n\n${line}` : line,
      content: { "application/json": { schema: problemSchema } },
    };
  }
  return responses;
}

/** A success answer with a JSON body. */
export function jsonResponse<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** A required JSON body. */
export function jsonBody<S extends z.ZodType>(schema: S) {
  return { required: true, content: { "application/json": { schema } } };
}

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; frame-ancestors 'none'";

/** Mounts `/api/schema/`, `/api/docs/` and `/api/docs/redoc/` with own assets (identity details 18, Document 2). */
export function mountDocs<E extends Env>(app: OpenAPIHono<E>, info: { title: string; version: string }): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearerAuth", { type: "http", scheme: "bearer" });
  app.get("/api/schema", (c) => {
    const document = app.getOpenAPI31Document({ openapi: "3.1.0", info, servers: [{ url: "../.." }] });
    return c.json(document, 200, { "cache-control": "public, max-age=300" });
  });
  app.get("/api/docs", (c) => docsPage(c, info.title, "swagger", 2));
  app.get("/api/docs/redoc", (c) => docsPage(c, info.title, "redoc", 3));
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

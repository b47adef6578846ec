// Puts the files of the API pages (Swagger UI, Redoc) where the Workers serve them as static assets: no CDN.
// Plain JavaScript, because it runs at `npm ci`, possibly under a Node that cannot strip types.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const target = new URL("../.generated/docs/static/docs/", import.meta.url);
mkdirSync(target, { recursive: true });
const files = [
  [join(dirname(require.resolve("swagger-ui-dist/package.json")), "swagger-ui.css"), "swagger-ui.css"],
  [join(dirname(require.resolve("swagger-ui-dist/package.json")), "swagger-ui-bundle.js"), "swagger-ui-bundle.js"],
  [join(dirname(require.resolve("redoc/package.json")), "bundles", "redoc.standalone.js"), "redoc.standalone.js"],
];
for (const [from, name] of files) {
  if (!existsSync(from)) throw new Error(`missing ${from}`);
  copyFileSync(from, new URL(name, target));
}

const start = {
  "swagger-start.js":
    'SwaggerUIBundle({ url: document.currentScript.dataset.schema, dom_id: "#docs", deepLinking: true });\n',
  "redoc-start.js": 'Redoc.init(document.currentScript.dataset.schema, {}, document.getElementById("docs"));\n',
};
for (const [name, text] of Object.entries(start)) writeFileSync(new URL(name, target), text);

// Copies the files of the API pages (Swagger UI, Redoc) to the static assets of the Workers, so that the pages need no CDN.
// Plain JavaScript, because `npm ci` may run it under a Node that cannot strip types. An argument sets another target
// folder.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const target = process.argv[2] ?? fileURLToPath(new URL("../.generated/docs/static/docs/", import.meta.url));
mkdirSync(target, { recursive: true });
const files = [
  [join(dirname(require.resolve("swagger-ui-dist/package.json")), "swagger-ui.css"), "swagger-ui.css"],
  [join(dirname(require.resolve("swagger-ui-dist/package.json")), "swagger-ui-bundle.js"), "swagger-ui-bundle.js"],
  [join(dirname(require.resolve("redoc/package.json")), "bundles", "redoc.standalone.js"), "redoc.standalone.js"],
];
for (const [from, name] of files) {
  if (!existsSync(from)) throw new Error(`missing ${from}`);
  copyFileSync(from, join(target, name));
}

// Redoc loads a logo from its vendor's server. Replace the URL; Redoc hides an image that cannot be loaded.
const redoc = join(target, "redoc.standalone.js");
const foreignLogo = "https://cdn.redoc.ly/redoc/logo-mini.svg";
const source = readFileSync(redoc, "utf8");
if (!source.includes(foreignLogo)) throw new Error(`Redoc no longer names ${foreignLogo}: check what it loads now`);
writeFileSync(redoc, source.replaceAll(foreignLogo, "data:,"));

// Without `validatorUrl: null` Swagger UI sends the schema to swagger.io, unless the page is on localhost.
const start = {
  "swagger-start.js":
    "SwaggerUIBundle({ url: document.currentScript.dataset.schema, dom_id: '#docs', deepLinking: true, " +
    "validatorUrl: null });\n",
  "redoc-start.js": 'Redoc.init(document.currentScript.dataset.schema, {}, document.getElementById("docs"));\n',
};
for (const [name, text] of Object.entries(start)) writeFileSync(join(target, name), text);

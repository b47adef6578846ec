// `npm run docs`: builds the documents into dist/docs, as a site with search. VitePress is installed into docs/site, which
// is a separate package, so that `npm ci` of the repository does not install it.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const site = join(root, "docs/site");
const pages = join(site, "pages");
const apiPages = join(root, "dist/docs/openapi");

/** Returns the HTML page that shows an OpenAPI document. */
const apiPage = (name: string) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${name} API</title>
  <style>body { margin: 0 }</style>
  <redoc spec-url="${name}.json" disable-google-font></redoc>
  <script src="redoc.standalone.js"></script>
</html>
`;

/**
 * Writes a document as a page. A README becomes the index of its folder, and links to source files become plain text.
 */
function writePage(path: string, text: string): void {
  const textWithLinks = text.replace(
    /(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g,
    (_link, label, target, anchor = "") => {
      const isPage = files.has(join(dirname(path), target));
      return isPage ? `[${label}](${target.replace(/README\.md$/, "index.md")}${anchor})` : label;
    },
  );
  const page = join(pages, path.replace(/README\.md$/, "index.md"));
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, textWithLinks);
}

if (!existsSync(join(site, "node_modules/vitepress"))) {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: site, stdio: "inherit" });
}
rmSync(pages, { recursive: true, force: true });
const fileList = execFileSync("git", ["ls-files", "*.md", "docs/pictures"], { cwd: root, encoding: "utf8" });
const files = new Set(fileList.trim().split("\n"));
for (const path of files) {
  if (!path.endsWith(".md")) cpSync(join(root, path), join(pages, path));
  else writePage(path, readFileSync(join(root, path), "utf8"));
}
const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
execFileSync(process.execPath, [vitepress, "build", site], { cwd: site, stdio: "inherit" });
mkdirSync(apiPages, { recursive: true });
// This copy of Redoc loads nothing from other hosts; see scripts/generate-docs-assets.mjs.
copyFileSync(join(root, ".generated/docs/static/docs/redoc.standalone.js"), join(apiPages, "redoc.standalone.js"));
const documents = readdirSync(join(root, "openapi")).filter((file) => file.endsWith(".json"));
for (const file of documents) {
  copyFileSync(join(root, "openapi", file), join(apiPages, file));
  writeFileSync(join(apiPages, `${basename(file, ".json")}.html`), apiPage(basename(file, ".json")));
}
console.log("dist/docs: open it with any static server, such as python3 -m http.server --directory dist/docs");

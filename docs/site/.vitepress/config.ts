import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vitepress";

const root = new URL("../../../", import.meta.url);
const documents = ["identity", "identity-scim", "email", "hosting", "storage"];

/** The links to pages of a folder in the order of its index, with the first heading of each page as text. */
function linksOf(folder: string) {
  const index = readFileSync(new URL(`${folder}/README.md`, root), "utf8");
  const pages = new Set([...index.matchAll(/\]\(([a-z0-9-]+)\.md\)/g)].map(([, page]) => page));
  return [...pages].map((page) => {
    const text = readFileSync(new URL(`${folder}/${page}.md`, root), "utf8");
    return {
      text: /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? basename(page ?? ""),
      link: `/${folder}/${page}`,
    };
  });
}

/** A section of the sidebar: the index of a folder and its pages. */
const section = (text: string, folder: string) => ({
  text,
  link: `/${folder}/`,
  collapsed: true,
  items: linksOf(folder),
});

// scripts/build-docs.ts copies all documents into `pages` at their paths, so that links between them work as in a clone.
export default defineConfig({
  title: "platform",
  description: "Self-hosted sign-in, email, webhooks, files and scheduled jobs for multi-tenant products",
  lang: "en",
  srcDir: "pages",
  outDir: "../../dist/docs",
  cacheDir: "../../.generated/docs-cache",
  // Addresses of a platform that runs on this machine.
  ignoreDeadLinks: "localhostLinks",
  // The search index is one large chunk, loaded by the first search.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    // Templates of mail contain {{ tokens }}, which Vue would evaluate.
    config(md) {
      for (const rule of ["text", "code_inline"]) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...args) => render?.(...args).replaceAll("{{", "&#123;&#123;") ?? "";
      }
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/docs/guides/" },
      { text: "Specification", link: "/docs/specification/" },
      { text: "API", items: documents.map((text) => ({ text, link: `/openapi/${text}.html`, target: "_self" })) },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
    sidebar: [
      { text: "Start", link: "/" },
      { ...section("Guides", "docs/guides"), collapsed: false },
      {
        text: "Shell and clients",
        items: [
          { text: "Command line", link: "/docs/shell-command" },
          { text: "SDK for embedded applications", link: "/docs/sdk" },
          { text: "Storage with existing clients", link: "/docs/storage-clients" },
        ],
      },
      {
        text: "Operation",
        items: [
          { text: "Deploy", link: "/docs/deploy" },
          { text: "Settings", link: "/docs/settings" },
          { text: "Operate", link: "/docs/operate" },
        ],
      },
      section("Specification", "docs/specification"),
      section("Decisions", "docs/decisions"),
      { text: "Glossary", link: "/docs/glossary" },
      { text: "Contributing", link: "/CONTRIBUTING" },
    ],
  },
});

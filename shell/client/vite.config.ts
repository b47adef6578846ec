import lucideIcons from "lucide-static/icon-nodes.json" with { type: "json" };
import { defineConfig, type Plugin } from "vite";
import { browsers } from "./browsers.ts";
import { iconNames } from "./src/ui/icon-names.ts";

const source = (path: string) => new URL(path, import.meta.url).pathname;
const nodes: Record<string, unknown> = lucideIcons;

/** Provides only the used icons as a module: `virtual:lucide`. */
function lucide(): Plugin {
  const name = "virtual:lucide";
  return {
    name: "lucide",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      const missing = iconNames.filter((icon) => nodes[icon] === undefined);
      if (missing.length > 0) throw new Error(`no such icon: ${missing.join(", ")}`);
      return `export const icons = ${JSON.stringify(Object.fromEntries(iconNames.map((icon) => [icon, nodes[icon]])))};`;
    },
  };
}

const alias = [
  { find: /^react(-dom)?$/, replacement: "preact/compat" },
  { find: /^react\/jsx-(dev-)?runtime$/, replacement: "preact/jsx-runtime" },
];

/** Shared chunks, which limit the number of files per page: one for all pages, one for layouts, one for sign-in pages. */
const chunks = [
  { name: "base", tags: ["$initial" as const] },
  { name: "layout", test: /\/src\/(?:layouts\/|navigation\/|places\/|ui\/(?:dialog|menu|sheet))/, minShareCount: 2 },
  { name: "login", test: /\/src\/(?:login|session)\//, minShareCount: 2 },
];

/**
 * Builds the client. With `--mode skeleton`, builds `skeleton.mjs` instead, which renders the first paint in Node from the same
 * components.
 */
export default defineConfig(({ mode }) => ({
  root: source("."),
  base: "/",
  publicDir: false,
  plugins: [lucide()],
  resolve: { alias },
  // `development` is set explicitly, because builds inside tests have another NODE_ENV and would use the larger development
  // runtime.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  ssr: { noExternal: true },
  build:
    mode === "skeleton"
      ? {
          ssr: source("src/skeleton/skeleton.tsx"),
          outDir: source("../../dist/shell"),
          emptyOutDir: false,
          minify: true,
          rolldownOptions: { output: { entryFileNames: "skeleton.mjs", codeSplitting: false } },
        }
      : {
          outDir: source("../../dist/shell"),
          emptyOutDir: false,
          manifest: "manifest.json",
          target: browsers,
          modulePreload: { polyfill: false },
          sourcemap: false,
          assetsInlineLimit: 0,
          reportCompressedSize: false,
          rolldownOptions: { input: source("src/main.tsx"), output: { codeSplitting: { groups: chunks } } },
        },
}));

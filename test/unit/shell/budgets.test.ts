import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean };
type Size = { js: number; css: number };

const configFile = fileURLToPath(new URL("../../../shell/client/vite.config.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "shell-budgets-"));
let manifest: Record<string, Chunk> = {};

const compressed = (file: string) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;

/** Returns the gzip size that a part adds to the chunks that are already loaded. */
function sizeOf(key: string, loaded: Set<string>): Size {
  const chunk = manifest[key];
  if (chunk === undefined || loaded.has(chunk.file)) return { js: 0, css: 0 };
  loaded.add(chunk.file);
  const size = { js: compressed(chunk.file), css: 0 };
  for (const file of chunk.css ?? []) {
    if (!loaded.has(file)) size.css += compressed(file);
    loaded.add(file);
  }
  for (const name of chunk.imports ?? []) {
    const inner = sizeOf(name, loaded);
    size.js += inner.js;
    size.css += inner.css;
  }
  return size;
}

/** Returns the chunks that the default shell loads, with the sidebar layout and a backend, and their size. */
function firstLoad(): { size: Size; loaded: Set<string> } {
  const loaded = new Set<string>();
  const parts = ["src/main.tsx", "src/layouts/sidebar.tsx", "src/session/adapters/platform.ts"].map((key) =>
    sizeOf(key, loaded),
  );
  const size = parts.reduce((sum, part) => ({ js: sum.js + part.js, css: sum.css + part.css }));
  return { size, loaded };
}

beforeAll(async () => {
  await build({ configFile, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<string, Chunk>;
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("loads at most 70 KB of scripts and 12 KB of styles for the first frame", () => {
  const { size } = firstLoad();
  expect(size.js).toBeGreaterThan(10_000);
  expect(size.js).toBeLessThanOrEqual(70_000);
  expect(size.css).toBeLessThanOrEqual(12_000);
});

test("loads at most four scripts, because each request is slow on a slow connection", () => {
  const scripts = [...firstLoad().loaded].filter((file) => file.endsWith(".js"));
  expect(scripts.length).toBeLessThanOrEqual(4);
});

describe("parts that load later", () => {
  const limits: [RegExp, number][] = [
    [/src\/login\//, 15_000],
    [/src\/settings\/settings\.tsx/, 25_000],
    [/./, 12_000],
  ];

  test("stay within their limits", () => {
    for (const [key, { isDynamicEntry }] of Object.entries(manifest)) {
      if (!isDynamicEntry) continue;
      const limit = limits.find(([pattern]) => pattern.test(key))?.[1] ?? 0;
      expect([key, sizeOf(key, new Set(firstLoad().loaded)).js <= limit]).toEqual([key, true]);
    }
  });
});

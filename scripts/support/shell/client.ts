import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

type Loads = { scripts: string[]; styles: string[] };
type Chunk = {
  file: string;
  src?: string;
  imports?: string[];
  css?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
};
type Manifest = Record<string, Chunk>;

/** The keys of `shell.json` that describe the client. */
export type ClientRecord = {
  version: string;
  entry: string;
  initial: Loads;
  layouts: Record<string, Loads>;
  languages: Record<string, Loads>;
  signIn: { login: Loads; callback: Loads };
  adapters: Record<string, Loads>;
};

/** Builds the client's scripts and styles into `folder`, and the Node module that renders the skeleton. */
export async function buildClient(repository: string, folder: string): Promise<ClientRecord> {
  const configFile = join(repository, "shell/client/vite.config.ts");
  const shared = { configFile, logLevel: "warn" } as const;
  await build({ ...shared, build: { outDir: folder, emptyOutDir: false } });
  await build({ ...shared, mode: "skeleton", build: { outDir: folder, emptyOutDir: false } });
  const manifestFile = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8")) as Manifest;
  rmSync(manifestFile);
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  const main = manifest["src/main.tsx"];
  if (main === undefined) throw new Error("the client has no entry src/main.tsx");
  return {
    version,
    entry: main.file,
    initial: loadsOf(manifest, "src/main.tsx"),
    layouts: byName(manifest, /layouts\/([a-z-]+)\.tsx$/),
    languages: byName(manifest, /i18n\/([a-zA-Z-]+)\.json$/),
    signIn: {
      login: loadsOf(manifest, "src/login/login-view.tsx"),
      callback: loadsOf(manifest, "src/login/callback-view.tsx"),
    },
    adapters: byName(manifest, /session\/adapters\/([a-z]+)\.ts$/),
  };
}

function byName(manifest: Manifest, pattern: RegExp): Record<string, Loads> {
  return Object.fromEntries(
    Object.entries(manifest).flatMap(([key, { isDynamicEntry }]) => {
      const name = pattern.exec(key)?.[1];
      return name !== undefined && isDynamicEntry ? [[name, loadsOf(manifest, key)]] : [];
    }),
  );
}

/** Returns the files of a chunk and of all chunks that it imports, directly or indirectly. */
function loadsOf(manifest: Manifest, key: string, visited = new Set<string>()): Loads {
  const chunk = manifest[key];
  if (chunk === undefined || visited.has(key)) return { scripts: [], styles: [] };
  visited.add(key);
  const inner = (chunk.imports ?? []).map((name) => loadsOf(manifest, name, visited));
  return {
    scripts: [...new Set([chunk.file, ...inner.flatMap(({ scripts }) => scripts)])],
    styles: [...new Set([...inner.flatMap(({ styles }) => styles), ...(chunk.css ?? [])])],
  };
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Messages, PageData } from "../../schemas/shell/page.ts";

/** The scripts to preload and the styles of a part of the shell. Paths are relative to the root of the site. */
export type Loads = { scripts: string[]; styles: string[] };

/** `shell.json` of a built shell, written by scripts/build-shell.ts. */
export type ShellRecord = {
  version: string;
  /** the script that every page loads first */
  entry: string;
  /** the files that the entry needs immediately */
  initial: Loads;
  /** the additional files for the first render, by layout */
  layouts: Record<string, Loads>;
  /** the additional files of each language */
  languages: Record<string, Loads>;
  /** the additional files of a sign-in page */
  signIn: Record<"login" | "callback", Loads>;
  /** the additional files of the adapter, by backend type */
  adapters: Record<string, Loads>;
  /** the inline script of the page */
  boot: string;
  /** the style of the first paint by layout; `all` is for the other layouts */
  critical: Record<string, string>;
  /** the shell's own texts by language */
  texts: Record<string, Messages>;
  palettes: Record<"light" | "dark", Record<string, string>>;
  /** path of the default favicon */
  favicon: string;
  /** default icons of the installed app; `size` is in px */
  icons: { path: string; size: number; isMaskable: boolean }[];
};

export type ShellFiles = ShellRecord & {
  folder: string;
  /** the first paint as HTML */
  renderSkeleton: (page: PageData, path: string) => string;
};

/** Thrown when the command was installed or cloned without a built shell. */
export class ShellMissingError extends Error {
  override readonly name = "ShellMissingError";
}

/**
 * Reads the built shell from the folder in PLATFORM_SHELL, else next to the packed command, else from `dist/` of the
 * repository. Throws ShellMissingError.
 */
export async function readShellFiles(env: NodeJS.ProcessEnv): Promise<ShellFiles> {
  const folder =
    env.PLATFORM_SHELL ?? ["./shell", "../shell", "../../dist/shell"].map(resolveFromModule).find(hasShell);
  if (folder === undefined || !hasShell(folder)) {
    throw new ShellMissingError("The built shell is missing. In the repository, run `npm run build:shell`.");
  }
  const record = JSON.parse(readFileSync(join(folder, "shell.json"), "utf8")) as ShellRecord;
  const module: unknown = await import(pathToFileURL(join(folder, "skeleton.mjs")).href);
  return { ...record, folder, renderSkeleton: skeletonOf(module) };
}

function resolveFromModule(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function hasShell(folder: string): boolean {
  return existsSync(join(folder, "shell.json"));
}

function skeletonOf(module: unknown): ShellFiles["renderSkeleton"] {
  if (typeof module === "object" && module !== null && "renderSkeleton" in module) {
    return module.renderSkeleton as ShellFiles["renderSkeleton"];
  }
  throw new ShellMissingError("The built shell has no skeleton. Run `npm run build:shell` again.");
}

import { dirname, join, normalize } from "node:path";

/**
 * A value import that violates the order: a file in the folder `from` imports from the folder `to`, which precedes `from` in
 * the order.
 */
export type UpwardImport = { file: string; from: string; to: string; source: string };

/** The folders that are missing from the order, and the imports that violate it. */
export type FolderFindings = { unlisted: string[]; upward: UpwardImport[] };

const importing = /^(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s+"(\.[^"]+)"/gm;

/** Returns whether a clause such as `{ type A, type B }` imports only types, which do not exist at run time. */
function isTypeOnly(isType: string | undefined, names: string): boolean {
  if (isType !== undefined) return true;
  const inner = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const parts = (inner ?? "").split(",").map((part) => part.trim());
  return inner !== undefined && parts.every((part) => part === "" || part.startsWith("type "));
}

/**
 * Checks the value imports of a folder against the order of its subfolders. A subfolder may import only those after it.
 * `files` maps relative paths, such as `mail/outbox/mail.ts`, to their text. Files outside subfolders, such as app.ts, may
 * import everything.
 */
export function checkFolderOrder(files: ReadonlyMap<string, string>, order: readonly string[]): FolderFindings {
  const deepestFirst = order.toSorted((a, b) => b.length - a.length);
  const folderOf = (path: string) =>
    deepestFirst.find((folder) => path.startsWith(`${folder}/`)) ?? (dirname(path) === "." ? null : dirname(path));
  const unlisted = new Set<string>();
  const upward: UpwardImport[] = [];
  for (const [file, text] of files) {
    const from = folderOf(file);
    if (from === null) continue;
    if (!order.includes(from)) unlisted.add(from);
    for (const [, isType, names = "", source = ""] of text.matchAll(importing)) {
      if (isTypeOnly(isType, names)) continue;
      const path = normalize(join(dirname(file), source));
      const to = path.startsWith("..") ? null : folderOf(path);
      if (to !== null && order.includes(to) && order.indexOf(to) < order.indexOf(from)) {
        upward.push({ file, from, to, source });
      }
    }
  }
  return { unlisted: [...unlisted].sort(), upward };
}

/** An import of a service's file by another service or by the kit. Paths are relative to the repository. */
export type Crossing = { file: string; target: string };

/**
 * Returns every import of a service's file by another service or by the kit. A service has folders in `workers/`, `db/`
 * and `schemas/`. Type imports are also returned, because services share types only through schemas/rpc.ts. `files` maps
 * paths in the repository to text.
 */
export function findServiceCrossings(files: ReadonlyMap<string, string>, services: readonly string[]): Crossing[] {
  const crossings: Crossing[] = [];
  for (const [file, text] of files) {
    const [, service = ""] = file.split("/");
    for (const [, , , source = ""] of text.matchAll(importing)) {
      const target = normalize(join(dirname(file), source));
      const [topFolder = "", otherService = ""] = target.split("/");
      const isService =
        ["workers", "db", "schemas"].includes(topFolder) &&
        (services.includes(otherService) || otherService === "edge");
      if (isService && otherService !== service) crossings.push({ file, target });
    }
  }
  return crossings;
}

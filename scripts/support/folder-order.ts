import { dirname, join, normalize } from "node:path";

/** A value import against the order: `from` and `to` are folders of the room. */
export type Upward = { file: string; from: string; to: string; source: string };

/** Returns folders with files that are not in the order, and imports against the order. */
export type FolderFindings = { unlisted: string[]; upward: Upward[] };

const importing = /^(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s+"(\.[^"]+)"/gm;

/** Whether a clause such as `{ type A, type B }` imports types alone, which leave nothing at run time. */
function isTypeOnly(isType: string | undefined, names: string): boolean {
  if (isType !== undefined) return true;
  const inner = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const parts = (inner ?? "").split(",").map((part) => part.trim());
  return inner !== undefined && parts.every((part) => part === "" || part.startsWith("type "));
}

/**
 * Compares the value imports of a room with the order of its folders, top first. `files` maps paths below the room, such as
 * `mail/outbox/mail.ts`, to their text. Files in the room itself (app.ts, services.ts) belong to no folder.
 */
export function checkFolderOrder(files: ReadonlyMap<string, string>, order: readonly string[]): FolderFindings {
  const deepestFirst = order.toSorted((a, b) => b.length - a.length);
  const folderOf = (path: string) =>
    deepestFirst.find((folder) => path.startsWith(`${folder}/`)) ?? (dirname(path) === "." ? null : dirname(path));
  const unlisted = new Set<string>();
  const upward: Upward[] = [];
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

/** An import across a border between services: `file` and `target` are paths below the repository. */
export type Crossing = { file: string; target: string };

/**
 * Returns the imports by which a service reaches another one, or the kit a service. A service is its folders in `workers/`, `db/` and
 * `schemas/`; types count too, since the types of RPC calls are in schemas/rpc.ts. `files` maps paths below the repository to text.
 */
export function findServiceCrossings(files: ReadonlyMap<string, string>, services: readonly string[]): Crossing[] {
  const crossings: Crossing[] = [];
  for (const [file, text] of files) {
    const [, owner = ""] = file.split("/");
    for (const [, , , source = ""] of text.matchAll(importing)) {
      const target = normalize(join(dirname(file), source));
      const [room = "", other = ""] = target.split("/");
      const isService = ["workers", "db", "schemas"].includes(room) && (services.includes(other) || other === "edge");
      if (isService && other !== owner) crossings.push({ file, target });
    }
  }
  return crossings;
}

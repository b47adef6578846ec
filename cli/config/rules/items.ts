import type { KeyPath, Position } from "../findings.ts";
import { listAt, listItems, type RuleContext, textAt, trimSlashes } from "./context.ts";

/** Files that a build writes into the root; items cannot have these paths. */
export const generatedNames = [
  "index.html",
  "404.html",
  "manifest.webmanifest",
  "sw.js",
  "offline.html",
  "_headers",
] as const;

const reservedSegments = new Set<string>(["login", "legal", "assets", ...generatedNames]);

/** Checks that the paths of items are unique, not reserved, and without `.` or `..` segments. */
export function checkItems({ written, report, locate }: RuleContext): void {
  const adminPath = textAt(written, "backend", "adminPathname");
  if (adminPath !== undefined) checkPath(adminPath, ["backend", "adminPathname"]);
  const used = new Map<string, Position>();
  for (const { path, item } of listItems(written)) {
    const text = textAt(item, "path");
    if (text === undefined) continue;
    const itemPath = trimSlashes(text);
    const at = [...path, "path"];
    checkPath(text, at);
    if (adminPath !== undefined && itemPath !== "" && itemPath === trimSlashes(adminPath)) {
      report("reserved-path", at, `"${itemPath}" is the path of the administration (backend.adminPathname).`);
    }
    const first = used.get(itemPath);
    const here = locate(at);
    if (first === undefined) used.set(itemPath, here);
    else report("duplicate-path", at, `"${itemPath}" is already used at ${describePosition(here, first)}.`);
    if (itemPath === "" && textAt(written, "startUrl") !== undefined) {
      const sentence = "The item at the root is never shown there, since startUrl wins.";
      report("start-url-wins", at, sentence, { level: "warning" });
    }
  }
  for (const [index, entry] of listAt(written, "administration", "navigation").entries()) {
    const text = textAt(entry, "path");
    if (text !== undefined) checkSegments(text, ["administration", "navigation", index, "path"]);
  }

  function checkPath(text: string, at: KeyPath): void {
    const [first = ""] = trimSlashes(text).split("/");
    if (reservedSegments.has(first) || first.startsWith("__")) {
      report(
        "reserved-path",
        at,
        `"${first}" is reserved for the shell. Reserved are ${[...reservedSegments].join(", ")} and names that begin with __.`,
      );
    }
    checkSegments(text, at);
  }
  function checkSegments(text: string, at: KeyPath): void {
    const hasDotSegment = text.split("/").some((segment) => segment === "." || segment === "..");
    if (hasDotSegment) report("invalid-value", at, `It must not contain a segment "." or "..".`);
  }
}

function describePosition(here: Position, there: Position): string {
  return here.file === there.file ? `line ${there.line}` : `${there.file.split(/[\\/]/).at(-1)}:${there.line}`;
}

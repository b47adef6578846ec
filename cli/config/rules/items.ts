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
export function checkItems({ rawConfig, report, locate }: RuleContext): void {
  const adminPath = textAt(rawConfig, "backend", "adminPathname");
  if (adminPath !== undefined) checkPath(adminPath, ["backend", "adminPathname"]);
  const positions = new Map<string, Position>();
  for (const { path, item } of listItems(rawConfig)) {
    const text = textAt(item, "path");
    if (text === undefined) continue;
    const itemPath = trimSlashes(text);
    const keyPath = [...path, "path"];
    checkPath(text, keyPath);
    if (adminPath !== undefined && itemPath !== "" && itemPath === trimSlashes(adminPath)) {
      report("reserved-path", keyPath, `"${itemPath}" is the path of the administration (backend.adminPathname).`);
    }
    const firstPosition = positions.get(itemPath);
    const position = locate(keyPath);
    if (firstPosition === undefined) positions.set(itemPath, position);
    else
      report(
        "duplicate-path",
        keyPath,
        `"${itemPath}" is already used at ${describePosition(position, firstPosition)}.`,
      );
    if (itemPath === "" && textAt(rawConfig, "startUrl") !== undefined) {
      const sentence = "The root item is never shown, because startUrl takes precedence.";
      report("start-url-wins", keyPath, sentence, { level: "warning" });
    }
  }
  for (const [index, entry] of listAt(rawConfig, "administration", "navigation").entries()) {
    const text = textAt(entry, "path");
    if (text !== undefined) checkSegments(text, ["administration", "navigation", index, "path"]);
  }

  function checkPath(text: string, keyPath: KeyPath): void {
    const [first = ""] = trimSlashes(text).split("/");
    if (reservedSegments.has(first) || first.startsWith("__")) {
      report(
        "reserved-path",
        keyPath,
        `"${first}" is reserved for the shell. Reserved are ${[...reservedSegments].join(", ")} and names that begin with __.`,
      );
    }
    checkSegments(text, keyPath);
  }
  function checkSegments(text: string, keyPath: KeyPath): void {
    const hasDotSegment = text.split("/").some((segment) => segment === "." || segment === "..");
    if (hasDotSegment) report("invalid-value", keyPath, `It must not contain a segment "." or "..".`);
  }
}

function describePosition(from: Position, position: Position): string {
  return from.file === position.file
    ? `line ${position.line}`
    : `${position.file.split(/[\\/]/).at(-1)}:${position.line}`;
}

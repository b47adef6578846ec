import type { KeyPath, Position } from "../findings.ts";
import { listAt, listItems, type RuleContext, textAt, trimSlashes } from "./context.ts";

/** Files that a build writes at the top; their names are no paths of items. */
export const generatedNames = [
  "index.html",
  "404.html",
  "manifest.webmanifest",
  "sw.js",
  "offline.html",
  "_headers",
] as const;

const reservedSegments = new Set<string>(["login", "legal", "assets", ...generatedNames]);

/** Paths of items: each used once, none of the shell's own, none that leaves its folder. */
export function checkItems({ written, report, locate }: RuleContext): void {
  const adminPath = textAt(written, "backend", "adminPathname");
  if (adminPath !== undefined) checkPath(adminPath, ["backend", "adminPathname"]);
  const used = new Map<string, Position>();
  for (const { path, item } of listItems(written)) {
    const text = textAt(item, "path");
    if (text === undefined) continue;
    const own = trimSlashes(text);
    const at = [...path, "path"];
    checkPath(text, at);
    if (adminPath !== undefined && own !== "" && own === trimSlashes(adminPath)) {
      report("reserved-path", at, `"${own}" is the path of the administration (backend.adminPathname).`);
    }
    const first = used.get(own);
    const here = locate(at);
    if (first === undefined) used.set(own, here);
    else report("duplicate-path", at, `"${own}" is already used at ${placeFrom(here, first)}.`);
    if (own === "" && textAt(written, "startUrl") !== undefined) {
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
        `"${first}" is the shell's own; reserved are ${[...reservedSegments].join(", ")} and names that begin with __.`,
      );
    }
    checkSegments(text, at);
  }
  function checkSegments(text: string, at: KeyPath): void {
    const isOut = text.split("/").some((segment) => segment === "." || segment === "..");
    if (isOut) report("invalid-value", at, `It must have no segment "." or "..".`);
  }
}

function placeFrom(here: Position, there: Position): string {
  return here.file === there.file ? `line ${there.line}` : `${there.file.split(/[\\/]/).at(-1)}:${there.line}`;
}

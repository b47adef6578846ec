import { join, resolve } from "node:path";
import { settingsSections } from "../../../schemas/shell/settings-sections.ts";
import { isFile } from "../load/find.ts";
import { isObject } from "../schema-walk.ts";
import { listItems, objectAt, type RuleContext, textAt, trimSlashes } from "./context.ts";
import { generatedNames } from "./items.ts";
import { assetPaths } from "./urls.ts";

/**
 * Reports missing files that the configuration names, and files of `static/` that the build would overwrite. Returns the
 * absolute paths of the legal documents.
 */
export function checkFiles(context: RuleContext): string[] {
  checkConflicts(context);
  checkAssets(context);
  return checkLegalFiles(context);
}

const builtInPages = [
  "login",
  "login/callback",
  "legal",
  "__settings",
  "__welcome",
  "__diagnostics",
  "__cookie-preferences",
] as const;

const legalPages = {
  privacyPolicy: "legal/privacy-policy",
  termsOfService: "legal/terms-of-service",
  legalNotice: "legal/legal-notice",
  dataProcessingAgreement: "legal/data-processing-agreement",
} as const;

/** Returns the paths of the shell's own pages, without the pages of navigation items. */
export function listShellPages(legalDocuments: object = {}): string[] {
  const documents = Object.entries(legalPages).flatMap(([name, path]) => (name in legalDocuments ? path : []));
  return [...builtInPages, ...settingsSections.map((id) => `__settings/${id}`), ...documents];
}

function checkConflicts({ rawConfig, report, root, staticFiles }: RuleContext): void {
  const byLowerCase = new Map([...staticFiles].map((path) => [path.toLowerCase(), path]));
  /** Returns the file of `static/` whose path is the path of a generated file or of one of its parent folders. */
  const conflict = (name: string): string | undefined => {
    const segments = name.toLowerCase().split("/");
    const parentPaths = segments.map((_, index) => segments.slice(0, index + 1).join("/"));
    return parentPaths.map((parentPath) => byLowerCase.get(parentPath)).find((file) => file !== undefined);
  };
  const pages = listShellPages(objectAt(rawConfig, "legalDocuments")).map((path) => `${path}/index.html`);
  const reportedFiles = new Set<string>();
  for (const name of [...generatedNames, "assets", ...pages]) {
    const file = conflict(name);
    if (file === undefined || reportedFiles.has(file)) continue;
    reportedFiles.add(file);
    const position = { file: join(root, "static", file), line: 1, column: 1 };
    report("static-conflict", [], `The build writes ${name} itself. Rename static/${file}.`, { position });
  }
  const itemPaths = listItems(rawConfig).map(({ path }) => [...path, "path"]);
  for (const path of [...itemPaths, ["backend", "adminPathname"]]) {
    const pagePath = trimSlashes(textAt(rawConfig, ...path) ?? "");
    const file = pagePath === "" ? undefined : conflict(`${pagePath}/index.html`);
    if (file === undefined) continue;
    report(
      "static-conflict",
      path,
      `static/${file} conflicts with the page that the build writes for this path. Rename the file or change the path.`,
    );
  }
}

function checkAssets({ rawConfig, report, staticFiles }: RuleContext): void {
  const icons = listItems(rawConfig).map(({ path }) => [...path, "icon"]);
  for (const path of [...assetPaths(rawConfig), ...icons, ["backend", "login", "panelImage"]]) {
    const text = textAt(rawConfig, ...path);
    if (text === undefined || /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(text)) continue;
    const name = trimSlashes(text.replace(/[?#].*$/, ""));
    if (staticFiles.has(name)) continue;
    const hint = name.includes("\\") ? ` Separate folders with /: ${name.replaceAll("\\", "/")}` : "";
    report("missing-static-file", path, `The file static/${name} does not exist.${hint}`, { level: "warning" });
  }
}

function checkLegalFiles({ rawConfig, report, folder }: RuleContext): string[] {
  const files: string[] = [];
  const check = (value: unknown, path: (string | number)[]): void => {
    const name = textAt(value, "file");
    if (name !== undefined) {
      const file = resolve(folder, name);
      files.push(file);
      if (!isFile(file)) report("invalid-value", [...path, "file"], `The file ${name} does not exist.`);
    } else if (isObject(value)) for (const [tag, text] of Object.entries(value)) check(text, [...path, tag]);
  };
  const documents = objectAt(rawConfig, "legalDocuments");
  for (const [name, document] of Object.entries(documents)) check(document, ["legalDocuments", name]);
  return files;
}

import { basename, dirname, join, matchesGlob, normalize } from "node:path";
import { managementCommands } from "../../../schemas/management.ts";

/** The files, documents, scripts and commands that documents can refer to. */
export type Repository = {
  /** paths of all tracked files, relative to the root */
  files: ReadonlySet<string>;
  /** texts of the Markdown files, by path */
  documents: ReadonlyMap<string, string>;
  /** names of the scripts of package.json */
  scripts: ReadonlySet<string>;
  /** names of the commands of `npx platform` */
  commands: ReadonlySet<string>;
};

/** Folders that commands create. Paths below them are not checked. */
const generated = /^(dist|\.generated|\.wrangler|node_modules)\//;
const codeFile = /^[\w./@*{},-]+\.(tsx?|mjs|grit|py)$/;

/** Returns one line for each path, link, anchor or command in the documents that does not exist. */
export function findBrokenReferences(repository: Repository): string[] {
  const folders = foldersOf(repository.files);
  const anchors = new Map([...repository.documents].map(([path, text]) => [path, anchorsOf(text)]));
  return [...repository.documents].flatMap(([path, text]) => {
    const prose = withoutCodeBlocks(text);
    return [
      ...findBrokenLinks(path, prose, { ...repository, folders, anchors }),
      ...findBrokenPaths(path, prose, new Set([...repository.files, ...exampleFiles(text)]), folders),
      ...findUnknownCommands(text, repository),
    ].map((finding) => `${path}: ${finding}`);
  });
}

/** Returns every folder that contains one of the files, including the root (`.`). */
function foldersOf(files: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  return folders;
}

/** Returns the text without its fenced code blocks. */
const withoutCodeBlocks = (text: string) => text.replace(/^( *)(`{3,})[\s\S]*?^\1\2 *$/gm, "");

/** Returns the names of files that the code blocks of a guide create. */
const exampleFiles = (text: string) => [...text.matchAll(/^```\w+ file=(\S+)/gm)].map(([, name = ""]) => name);

/** Returns the anchors that GitHub generates for the headings of a Markdown text. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutCodeBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = (heading ?? "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase();
    const base = slug.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) if (id !== undefined) anchors.add(id);
  return anchors;
}

type Lookups = Repository & { folders: ReadonlySet<string>; anchors: ReadonlyMap<string, ReadonlySet<string>> };

function findBrokenLinks(document: string, prose: string, { files, folders, anchors }: Lookups): string[] {
  const text = prose.replace(/`[^`\n]+`/g, "");
  const inline = [...text.matchAll(/\]\(\s*([^)\s]+)[^)]*\)/g), ...text.matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
  const html = [...text.matchAll(/<(?:img|source)[^>]* (?:src|srcset)="([^"]+)"/g)];
  return [...inline, ...html].flatMap(([, link = ""]) => {
    if (/^[a-z+]+:/i.test(link)) return [];
    const [path = "", anchor] = link.split("#");
    const target =
      path === "" ? document : normalize(join(dirname(document), decodeURIComponent(path))).replace(/\/$/, "");
    if (!files.has(target) && !folders.has(target)) return [`link to ${link}: there is no ${target}`];
    if (anchor !== undefined && anchors.get(target)?.has(anchor) === false) return [`link to ${link}: no such heading`];
    return [];
  });
}

function findBrokenPaths(
  document: string,
  prose: string,
  files: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): string[] {
  const roots = new Set([...folders].filter((folder) => !folder.includes("/") && folder !== "."));
  // The READMEs of the services omit `workers/` in paths.
  roots.add("kit");
  const exists = (path: string) => {
    const candidates = [path, join(dirname(document), path), join("workers", path)].map((candidate) =>
      candidate.replace(/\/$/, ""),
    );
    if (candidates.some((candidate) => files.has(candidate) || folders.has(candidate))) return true;
    // A placeholder, as in `workers/<service>/settings.ts`, matches one name.
    const globs = candidates.map((candidate) => candidate.replace(/<[^>]+>/g, "*").replace(/…/g, "**"));
    const isGlob = globs.some((glob) => /[*{]/.test(glob));
    if (isGlob) return [...files, ...folders].some((file) => globs.some((glob) => matchesGlob(file, glob)));
    // Documents may shorten the path of a file to its last segments.
    return codeFile.test(path) && [...files].some((file) => file.endsWith(`/${path}`));
  };
  return [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => {
    const path = code.replace(/:\d+$/, "").replace(/^\.\//, "");
    const [first = ""] = path.split("/");
    const isPath = /^[\w./@<>*{},…-]+$/.test(path) && path.includes("/") && roots.has(first);
    const isCodeFile = codeFile.test(path) && !path.startsWith("/") && /^[\w*]/.test(basename(path));
    if ((!isPath && !isCodeFile) || generated.test(path) || exists(path)) return [];
    return [`there is no ${path}`];
  });
}

function findUnknownCommands(text: string, { scripts, commands }: Repository): string[] {
  const findings: string[] = [];
  for (const [, script = ""] of text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)) {
    if (!scripts.has(script)) findings.push(`there is no npm run ${script}`);
  }
  for (const [, command = ""] of text.matchAll(/\bnpx platform ([a-z][\w-]*)/g)) {
    if (!commands.has(command)) findings.push(`there is no npx platform ${command}`);
  }
  const managed: Readonly<Record<string, readonly { name: string }[]>> = managementCommands;
  for (const [, service = "", command = ""] of text.matchAll(/\bplatform manage\s+([a-z]+)\s+([a-z][a-z_]*)/g)) {
    if (!managed[service]?.some(({ name }) => name === command)) {
      findings.push(`there is no platform manage ${service} ${command}`);
    }
  }
  return findings;
}

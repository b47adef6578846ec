import { type PageData, pageElementId } from "../../schemas/shell/page.ts";
import { contentPolicy, originsOf } from "./policy.ts";
import type { Loads, ShellFiles } from "./shell-files.ts";

export type PageDocument = { html: string; policy: string };

/**
 * Returns `index.html` and its content security policy. The page contains the page data, the script, style and HTML of the
 * first paint, and links to the scripts that load after the first paint.
 */
export function renderDocument(page: PageData, shell: ShellFiles, extraScripts: string[] = []): PageDocument {
  const { config } = page;
  const critical = shell.critical[layoutOf(page)] ?? shell.critical.all ?? "";
  const inline = { scripts: [shell.boot], styles: [critical] };
  const { scripts, styles } = loadsOf(partsOf(page, shell));
  const title = config.title ?? "Platform";
  const description = page.messages["page.description"]?.replace("{title}", () => title) ?? title;
  const favicon = config.favicon ?? `/${shell.favicon}`;
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy(page, inline, true))}">`,
    // The entry is first, because everything else depends on it. A module runs only after the page is parsed.
    `<script type="module" src="/${escapeHtml(shell.entry)}"></script>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="referrer" content="strict-origin-when-cross-origin">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    `<link rel="icon" href="${escapeHtml(favicon)}">`,
    ...(page.target === "web" ? ['<link rel="manifest" href="/manifest.webmanifest">'] : []),
    `<script type="application/json" id="${pageElementId}">${toInertJson(page)}</script>`,
    `<script${viewLoads(page, shell)}>${shell.boot}</script>`,
    `<style>${critical}</style>`,
    // A preloaded style does not block the first paint; the client applies the style before it renders over the first paint.
    ...styles.map((path) => `<link rel="preload" as="style" href="/${escapeHtml(path)}">`),
    ...scripts
      .filter((path) => path !== shell.entry)
      .map((path) => `<link rel="modulepreload" href="/${escapeHtml(path)}">`),
    ...originsOf([config.backend?.url]).map(
      (origin) => `<link rel="preconnect" href="${escapeHtml(origin)}" crossorigin>`,
    ),
    ...extraScripts.map((path) => `<script type="module" src="${escapeHtml(path)}"></script>`),
  ];
  const html = `<!doctype html>
<html lang="${escapeHtml(page.language)}" dir="${directionOf(page.language)}">
<head>
${head.join("\n")}
</head>
<body><div id="root">${shell.renderSkeleton(page, "/")}</div><div id="sign-in">${shell.renderSkeleton(page, "/login")}</div></body>
</html>
`;
  return { html, policy: contentPolicy(page, inline) };
}

/** Returns the files that load before the first frame of an application appears, without the entry. */
export function firstLoads(page: PageData, shell: ShellFiles): Loads {
  const { scripts, styles } = loadsOf([...partsOf(page, shell), shell.layouts[layoutOf(page)]]);
  return { scripts: scripts.filter((path) => path !== shell.entry), styles };
}

/** Returns the parts that every page loads: the entry and the adapter of the backend. */
function partsOf(page: PageData, { initial, adapters }: ShellFiles): (Loads | undefined)[] {
  return [initial, adapters[page.config.backend?.type ?? ""]];
}

function loadsOf(parts: (Loads | undefined)[]): Loads {
  const all = (kind: keyof Loads) => [...new Set(parts.flatMap((part) => part?.[kind] ?? []))];
  return { scripts: all("scripts"), styles: all("styles") };
}

/**
 * Returns attributes for the boot script that list the additional scripts of each kind of page. The boot script recognizes the
 * kind by the URL. The sign-in page (`login`) needs no layout. The callback page preloads the layout that follows the sign-in.
 */
function viewLoads(page: PageData, shell: ShellFiles): string {
  const preloaded = new Set(loadsOf(partsOf(page, shell)).scripts);
  const layout = shell.layouts[layoutOf(page)];
  const kinds = { view: [layout], login: [shell.signIn.login], callback: [shell.signIn.callback, layout] };
  return Object.entries(kinds)
    .map(([name, parts]) => {
      const paths = loadsOf(parts).scripts.filter((path) => !preloaded.has(path));
      return ` data-${name}="${escapeHtml(paths.map((path) => `/${path}`).join(" "))}"`;
    })
    .join("");
}

/** Returns the layout to show. `windows` is not available yet and shows the sidebar. */
function layoutOf({ config: { layout } }: PageData): string {
  return layout === "windows" ? "sidebar" : layout;
}

/** Returns JSON that cannot close its surrounding script element. */
export function toInertJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

export function directionOf(language: string): "ltr" | "rtl" {
  return /^(?:ar|dv|fa|he|iw|ks|ku|ps|sd|ug|ur|yi)(?:-|$)/i.test(language) ? "rtl" : "ltr";
}

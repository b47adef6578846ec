import type { PageData } from "../../../../schemas/shell/page.ts";
import type { BootRecord } from "./boot-record.ts";

// The only inline script. It runs before the first paint. It restores colours, density and sidebar width, and removes sign-in secrets
// from the address and the history. It also detects whether the page is in a frame, and chooses the first paint (HTML that the
// build rendered) of this page.

declare global {
  interface Window {
    platformBoot?: BootRecord;
  }
  /** URL of `subfolder.ts` relative to the root of a build */
  const SUBFOLDER_SCRIPT: string;
}

const {
  documentElement: { dataset, style },
  currentScript,
  head,
  scripts: [entry],
} = document;
const { config } = JSON.parse(document.getElementById("platform-page")?.textContent as string) as PageData;

let stored: Record<string, unknown> = {};
try {
  stored = Object(JSON.parse(localStorage.getItem("platform:settings") as string));
} catch {}

const storedScheme = stored.colorScheme;
const scheme =
  storedScheme === "dark" || (storedScheme !== "light" && matchMedia("(prefers-color-scheme:dark)").matches)
    ? "dark"
    : "light";
dataset.scheme = scheme;
const findTheme = (name: unknown) => config.themes.find((theme) => theme.name === name);
const theme =
  stored.themeName === "default" ? undefined : (findTheme(stored.themeName) ?? findTheme(config.defaultTheme));
for (const [token, value] of Object.entries(theme?.colors[scheme] ?? {}))
  style.setProperty(`--${token.replace(/[A-Z]/g, "-$&").toLowerCase()}`, value as string);
if ((stored.sidebarWidth as number) > 0) style.setProperty("--sidebar-width", `${stored.sidebarWidth}px`);
// The style sheets know only the density "compact".
dataset.density = stored.density as string;
if (stored.sidebarCollapsed) dataset.sidebar = "collapsed";
// The first paint does not contain pins. Its navigation is invisible until the pins are in their places.
dataset.pinned = stored.pinned as string;

const { pathname, search, hash } = location;
const boot: BootRecord = { framed: self !== top };
const callback = /^\/login(\/callback)?\/?$/.exec(pathname);
const secretHash = /[#&](access|refresh)_token=/.test(hash);
const secretName = new RegExp(`[?&](platform_auth_)${callback ? "?" : ""}code=[^&]*`);
if (secretHash || secretName.test(search)) {
  if (callback) boot.callback = { pathname, search, hash: secretHash ? hash : "" };
  // The code is removed from the query as text, so that the other parameters remain exactly as the service sent them.
  const remaining = search.replace(secretName, "").replace(/^&/, "?");
  // A sign-in that returned to /login also continues on the callback page.
  history.replaceState(
    history.state,
    "",
    (callback ? "/login/callback" : pathname) + remaining + (secretHash ? "" : hash),
  );
}
if (boot.framed) dataset.framed = "";
else {
  // All pages are the same file. The file contains a separate first paint for the sign-in, and lists the scripts that each kind
  // of page preloads.
  const kind = callback ? (callback[1] || boot.callback ? "callback" : "login") : "view";
  if (callback) dataset.signIn = kind;
  for (const href of (currentScript as HTMLElement).dataset[kind]?.match(/\S+/g) ?? [])
    head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
}
window.platformBoot = boot;

// The URL of the entry script starts at the root, so the script fails to load when the page is served from a subfolder. The
// import below succeeds only for the folder that the page is served from.
(entry as HTMLScriptElement).onerror = () => {
  let folder = "";
  for (const part of pathname.split("/")) {
    if (part === "") continue;
    folder += `/${part}`;
    import(folder + SUBFOLDER_SCRIPT).catch(() => {});
  }
};

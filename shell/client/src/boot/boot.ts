import type { PageData } from "../../../../schemas/shell/page.ts";
import type { BootRecord } from "./boot-record.ts";

// The one script inside the page, before the first paint: colours and width of the sidebar as they were left, secrets of a
// sign-in out of the address and the history, whether the shell was put into a frame, and which first paint is this page's.

declare global {
  interface Window {
    platformBoot?: BootRecord;
  }
  /** address of `subfolder.ts` at the root of a build */
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

const chosen = stored.colorScheme;
const scheme =
  chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme:dark)").matches) ? "dark" : "light";
dataset.scheme = scheme;
const themeNamed = (name: unknown) => config.themes.find((theme) => theme.name === name);
const theme =
  stored.themeName === "default" ? undefined : (themeNamed(stored.themeName) ?? themeNamed(config.defaultTheme));
for (const [token, value] of Object.entries(theme?.colors[scheme] ?? {}))
  style.setProperty(`--${token.replace(/[A-Z]/g, "-$&").toLowerCase()}`, value as string);
if (typeof stored.sidebarWidth === "number") style.setProperty("--sidebar-width", `${stored.sidebarWidth}px`);
if (stored.sidebarCollapsed === true) dataset.sidebar = "collapsed";

const { pathname, search, hash } = location;
const boot: BootRecord = { framed: self !== top };
const callback = /^\/login(\/callback)?\/?$/.exec(pathname);
const secretHash = /[#&](access|refresh)_token=/.test(hash);
const secretName = new RegExp(`[?&](platform_auth_)${callback ? "?" : ""}code=[^&]*`);
if (secretHash || secretName.test(search)) {
  if (callback) boot.callback = { pathname, search, hash: secretHash ? hash : "" };
  // Cut as text, so that every other byte stays what the service redirected to.
  const remaining = search.replace(secretName, "").replace(/^&/, "?");
  // What came back to the sign-in itself is finished where all that comes back is.
  history.replaceState(
    history.state,
    "",
    (callback ? "/login/callback" : pathname) + remaining + (secretHash ? "" : hash),
  );
}
if (boot.framed) dataset.framed = "";
else {
  // All pages are the same file: the sign-in has a first paint of its own in it, and each kind of page begins with scripts of its own.
  const kind = callback ? (callback[1] || boot.callback ? "callback" : "login") : "view";
  if (callback) dataset.signIn = kind;
  for (const href of (currentScript as HTMLElement).dataset[kind]?.match(/\S+/g) ?? [])
    head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
}
window.platformBoot = boot;

// The entry is named from the root. It is missing there when the page is served under a subfolder, which is the folder of the
// address that has this script.
(entry as HTMLScriptElement).onerror = () => {
  let folder = "";
  for (const part of pathname.split("/")) {
    if (part === "") continue;
    folder += `/${part}`;
    import(folder + SUBFOLDER_SCRIPT).catch(() => {});
  }
};

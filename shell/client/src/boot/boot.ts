import type { PageData } from "../../../../schemas/shell/page.ts";
import type { BootRecord } from "./boot-record.ts";

// The one script inside the page, before the first paint: colours and width of the sidebar as they were left, secrets of a
// sign-in out of the address and the history, whether the shell was put into a frame, and which first paint is this page's.

const root = document.documentElement;
const { config } = JSON.parse(document.getElementById("platform-page")?.textContent ?? "{}") as PageData;

let stored: Record<string, unknown> = {};
try {
  const read: unknown = JSON.parse(localStorage.getItem("platform:settings") ?? "{}");
  if (typeof read === "object" && read !== null) stored = read as Record<string, unknown>;
} catch {}

const scheme = stored.colorScheme;
const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
root.dataset.scheme = dark ? "dark" : "light";
const named = (name: unknown) => config.themes.find((theme) => theme.name === name);
const theme = stored.themeName === "default" ? undefined : (named(stored.themeName) ?? named(config.defaultTheme));
for (const [token, value] of Object.entries(theme?.colors[dark ? "dark" : "light"] ?? {}))
  root.style.setProperty(`--${token.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, String(value));
if (typeof stored.sidebarWidth === "number") root.style.setProperty("--sidebar-width", `${stored.sidebarWidth}px`);
if (stored.sidebarCollapsed === true) root.dataset.sidebar = "collapsed";

const { pathname, search, hash } = location;
const boot: BootRecord = { framed: self !== top };
const callback = /^\/login(\/callback)?\/?$/.exec(pathname);
const secretHash = /[#&](access_token|refresh_token)=/.test(hash);
const secretName = callback ? /[?&](platform_auth_code|code)=[^&]*/ : /[?&]platform_auth_code=[^&]*/;
const secretSearch = secretName.test(search);
if (secretHash || secretSearch) {
  if (callback) boot.callback = { pathname, search, hash: secretHash ? hash : "" };
  // Cut as text, so that every other byte stays what the service redirected to.
  const kept = search.replace(secretName, "").replace(/^&/, "?");
  // What came back to the sign-in itself is finished where all that comes back is.
  history.replaceState(history.state, "", (callback ? "/login/callback" : pathname) + kept + (secretHash ? "" : hash));
}
if (boot.framed) root.dataset.framed = "";
else if (callback) {
  // All pages are the same file: the sign-in has a first paint of its own in it, and scripts that no other page begins with.
  const name = callback[1] || boot.callback ? "callback" : "login";
  root.dataset.signIn = name;
  for (const path of document.currentScript?.dataset[name]?.split(" ") ?? []) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = path;
    document.head.append(link);
  }
}
Object.assign(window, { platformBoot: boot });

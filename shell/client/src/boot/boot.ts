import type { PageData } from "../../../../schemas/shell/page.ts";
import type { BootRecord } from "./boot-record.ts";

// The one script inside the page, before the first paint: colours and width of the sidebar as they were left, secrets of a
// sign-in out of the address and the history, and whether the shell was put into a frame.

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
const callback =
  pathname === "/login" || pathname === "/login/callback" || pathname === "/login/" || pathname === "/login/callback/";
// The first paint is the same for every address; the pages of the sign-in have no navigation.
if (/^\/login(\/|$)/.test(pathname)) root.dataset.bare = "";
const secretHash = /[#&](access_token|refresh_token)=/.test(hash);
const secretName = callback ? /[?&](platform_auth_code|code)=[^&]*/ : /[?&]platform_auth_code=[^&]*/;
const secretSearch = secretName.test(search);
if (secretHash || secretSearch) {
  if (callback) boot.callback = { search, hash: secretHash ? hash : "" };
  // Cut as text, so that every other byte stays what the service redirected to.
  const kept = search.replace(secretName, "").replace(/^&/, "?");
  history.replaceState(history.state, "", pathname + kept + (secretHash ? "" : hash));
}
if (boot.framed) root.dataset.framed = "";
Object.defineProperty(window, "platformBoot", { value: boot, configurable: true });

// A multi-page application with the full library: its paths appear in the shell's address, the shell shows its dialogs and
// toasts, and it calls the identity service with the user's access token.
import { drawAccount } from "./account.js";
import { countOpen, orders } from "./data.js";
import { currentTexts, platform } from "./shell.js";
import { drawList, drawOrder } from "./views.js";

const view = document.getElementById("view");

/** Navigates inside this application; the shell adds the history entry. */
function go(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  draw(true);
}

function draw(moves = false) {
  const t = currentTexts();
  document.documentElement.lang = platform.settings?.language.code ?? "en";
  const [name] = location.pathname.split("/").filter(Boolean);
  const id = Number(name);
  const parts =
    name === undefined ? drawList(go) : name === "account" ? drawAccount(() => draw()) : drawOrder(id, { go, draw });
  view.replaceChildren(...parts);
  const title =
    name === undefined ? t.title : name === "account" ? t.account : orders.has(id) ? t.order(id) : t.missing;
  void platform.setTitle(title);
  void platform.badge(countOpen());
  if (moves) view.querySelector("h1")?.focus();
}

// Links inside the application navigate without loading a page.
view.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.pathname);
});
addEventListener("popstate", () => draw(true));

await platform.init();
platform.on("settings", () => draw());
draw();
await platform.applyTheme();

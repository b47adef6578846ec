import { render } from "react";
import { App } from "./app.tsx";
import { takeFramed } from "./boot/framed-shell.ts";
import { layoutOf, layouts } from "./layouts/layouts.ts";
import { emit } from "./reporting/events.ts";
import { followLinks } from "./router/follow-links.ts";
import { ShellProvider } from "./shell/context.ts";
import { createShell } from "./shell/create-shell.ts";
import { followHotkeys } from "./shell/hotkeys.ts";
import { keepLanguage } from "./shell/keep-language.ts";
import { startLater } from "./shell/start-later.ts";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/surfaces.css";
import "./layouts/layout.css";
import "./overlays/overlays.css";

/**
 * The page asks for its stylesheets without waiting for them, since the first paint has a style of its own; here they come into
 * force.
 */
function loadStyles() {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]')];
  return Promise.all(
    links.map(
      (link) =>
        new Promise<void>((done) => {
          link.addEventListener("load", () => done(), { once: true });
          link.addEventListener("error", () => done(), { once: true });
          link.rel = "stylesheet";
        }),
    ),
  );
}

async function start(root: HTMLElement) {
  const shell = createShell();
  // The first drawing is the same as the first paint: its language, its layout and its style are there before it.
  await Promise.all([
    loadStyles(),
    keepLanguage(shell),
    layouts[layoutOf(shell.page.get().config, shell.settings.get())].preload(),
  ]);
  followLinks(shell.router);
  followHotkeys(shell);
  render(
    <ShellProvider value={shell}>
      <App />
    </ShellProvider>,
    root,
  );
  emit("shell-ready");
  startLater(shell);
}

const root = document.getElementById("root");
if (root !== null && !takeFramed(root)) void start(root);

import { render } from "react";
import { App, CallbackView, LoginView } from "./app.tsx";
import { showFramedNotice } from "./boot/framed-shell.ts";
import { layoutOf, layouts } from "./layouts/layouts.ts";
import { followPlaces } from "./places/places.ts";
import { emit } from "./reporting/events.ts";
import { followLinks } from "./router/follow-links.ts";
import { matchRoute, startAddress } from "./router/routes.ts";
import { ShellProvider } from "./shell/context.ts";
import type { Shell } from "./shell/shell.ts";
import { currentViewer } from "./shell/viewer.ts";
import { createShell } from "./start/create-shell.ts";
import { followHotkeys } from "./start/hotkeys.ts";
import { scheduleDeferredParts } from "./start/schedule-deferred-parts.ts";
import { syncLanguage } from "./start/sync-language.ts";
import { preloadView } from "./views/route-view.tsx";
import "./ui/controls.css";
import "./ui/surfaces.css";
import "./overlays/overlays.css";

/**
 * Applies the stylesheets. The page only preloads them, because the first paint has inline styles and must not wait for them.
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

/** Loads the layout of the first render. Sign-in pages have no layout and load their view; other views may load later. */
async function loadView(shell: Shell) {
  const { config } = shell.page.get();
  const { view } = matchRoute(config, shell.router.get().pathname);
  if (view === "callback") return CallbackView.preload();
  if (view === "login") {
    // Start the first request of the sign-in page early.
    if (shell.session?.state.get().status === "signed-out") shell.session.liveSettings().catch(() => undefined);
    return LoginView.preload();
  }
  preloadView(view === "start" ? matchRoute(config, startAddress(config, currentViewer(shell))).view : view);
  return layouts[layoutOf(config, shell.settings.get())].preload();
}

/**
 * Preloads the layout, which is needed right after a sign-in. On sign-in pages it loads on the first key press or click.
 */
function preloadLayout({ page, router, settings }: Shell) {
  const preload = () => void layouts[layoutOf(page.get().config, settings.get())].preload();
  if (matchRoute(page.get().config, router.get().pathname).view !== "login") return preload();
  for (const type of ["keydown", "pointerdown"]) addEventListener(type, preload, { once: true });
}

/**
 * The page contains two first paints: one in the root element, and one for the sign-in. On sign-in addresses, moves the second
 * one into the root element.
 */
function chooseFirstPaint(root: HTMLElement) {
  const signInPaint = document.getElementById("sign-in");
  const { dataset } = document.documentElement;
  if (signInPaint !== null && dataset.signIn !== undefined) root.replaceChildren(...signInPaint.childNodes);
  signInPaint?.remove();
  delete dataset.signIn;
  delete dataset.pinned;
}

/** Yields to the browser. Each part of the start takes long enough to be a separate task. */
const pause = () => new Promise((resume) => setTimeout(resume));

async function start(root: HTMLElement) {
  await pause();
  const shell = createShell();
  await pause();
  // The first render must look like the first paint, so its language, layout and styles are loaded before.
  await Promise.all([loadStyles(), loadView(shell), syncLanguage(shell)]);
  await pause();
  followLinks(shell);
  followHotkeys(shell);
  followPlaces(shell);
  chooseFirstPaint(root);
  render(
    <ShellProvider value={shell}>
      <App />
    </ShellProvider>,
    root,
  );
  emit("shell-ready");
  preloadLayout(shell);
  scheduleDeferredParts(shell);
}

const root = document.getElementById("root");
if (root !== null) void (showFramedNotice(root) ? loadStyles() : start(root));

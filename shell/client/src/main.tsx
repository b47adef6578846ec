import { render } from "react";
import { App, CallbackView, LoginView } from "./app.tsx";
import { showFramedNotice } from "./boot/framed-shell.ts";
import { layoutOf, layouts } from "./layouts/layouts.ts";
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

/** Loads what the first drawing shows: its layout. The view in it may come later. The pages of the sign-in stand alone. */
async function loadView(shell: Shell) {
  const { config } = shell.page.get();
  const { view } = matchRoute(config, shell.router.get().pathname);
  if (view === "callback") return CallbackView.preload();
  if (view === "login") {
    // What it will ask first.
    if (shell.session?.state.get().status === "signed-out") shell.session.liveSettings().catch(() => undefined);
    return LoginView.preload();
  }
  preloadView(view === "start" ? matchRoute(config, startAddress(config, currentViewer(shell))).view : view);
  return layouts[layoutOf(config, shell.settings.get())].preload();
}

/** After a sign-in the layout is wanted at once, so it loads when the person does something at the sign-in, which has none. */
function preloadLayout({ page, router, settings }: Shell) {
  const preload = () => void layouts[layoutOf(page.get().config, settings.get())].preload();
  if (matchRoute(page.get().config, router.get().pathname).view !== "login") return preload();
  for (const type of ["keydown", "pointerdown"]) addEventListener(type, preload, { once: true });
}

/** The page has two first paints: that of the navigation, and that of the sign-in, which takes its place at its own addresses. */
function chooseFirstPaint(root: HTMLElement) {
  const signInPaint = document.getElementById("sign-in");
  const { dataset } = document.documentElement;
  if (signInPaint !== null && dataset.signIn !== undefined) root.replaceChildren(...signInPaint.childNodes);
  signInPaint?.remove();
  delete dataset.signIn;
}

/** Lets the page answer: each piece of the start is work enough for one go. */
const pause = () => new Promise((resume) => setTimeout(resume));

async function start(root: HTMLElement) {
  await pause();
  const shell = createShell();
  await pause();
  // The first drawing is the same as the first paint: its language, its layout and its style are there before it.
  await Promise.all([loadStyles(), loadView(shell), syncLanguage(shell)]);
  await pause();
  followLinks(shell);
  followHotkeys(shell);
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

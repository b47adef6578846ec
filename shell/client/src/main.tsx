import { render } from "react";
import { configEvent, type PageData } from "../../../schemas/shell/page.ts";
import { App } from "./app.tsx";
import { createLanguages } from "./i18n/language.ts";
import { createToasts } from "./overlays/toasts.ts";
import { readPageData } from "./page-data.ts";
import { createRouter } from "./router/router.ts";
import { createSession } from "./session/session.ts";
import { ShellProvider } from "./shell/context.ts";
import { createSettings } from "./shell/settings.ts";
import type { Shell } from "./shell/shell.ts";
import { createStore } from "./store.ts";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/surfaces.css";
import "./overlays/overlays.css";

function start(root: HTMLElement) {
  const page = createStore(readPageData());
  addEventListener(configEvent, (event) => page.set((event as CustomEvent<PageData>).detail));
  const shell: Shell = {
    page,
    settings: createSettings(),
    language: createLanguages(page.get),
    router: createRouter(),
    session: createSession(page.get()),
    toasts: createToasts(),
  };
  render(
    <ShellProvider value={shell}>
      <App />
    </ShellProvider>,
    root,
  );
}

const root = document.getElementById("root");
// A shell that was put into a frame starts nothing; the script before it shows a way out.
if (root !== null && window.top === window.self) start(root);

import { renderToString } from "preact-render-to-string";
import type { PageData } from "../../../../schemas/shell/page.ts";
import { App } from "../app.tsx";
import { createCommands } from "../commands/commands.ts";
import type { Consent } from "../consent/consent.ts";
import type { Frames } from "../frames/frames.ts";
import { createLanguages } from "../i18n/language.ts";
import { layouts } from "../layouts/layouts.ts";
import { createDialogs } from "../overlays/dialogs.ts";
import type { Overlays } from "../overlays/overlays.ts";
import { createToasts } from "../overlays/toasts.ts";
import { fixedRouter } from "../router/router.ts";
import { ShellProvider } from "../shell/context.ts";
import type { Shell } from "../shell/shell.ts";
import { createStore } from "../store.ts";
import type { Appearance } from "../theme/apply.ts";

await Promise.all(Object.values(layouts).map(({ preload }) => preload()));

const noop = () => undefined;

/** Returns a static shell for the first paint. It has no user and its functions do nothing. */
function fixedShell(data: PageData, path: string): Shell {
  const page = createStore(data);
  const none = createStore(null);
  const frames: Frames = {
    all: () => [],
    current: none,
    generation: createStore(0),
    mount: () => noop,
    show: noop,
    reload: noop,
    prefetchSoon: noop,
    create: () => {
      throw new Error("the first paint has no frames");
    },
    remove: noop,
    removeAll: noop,
    listen: noop,
  };
  const overlays: Overlays = { ...none, openItem: noop, open: () => 0, close: noop, resize: noop };
  // The static shell has a decision on all hosts, so that the first paint does not contain the consent banner.
  const decided = (data.config.cookieConsent?.cookies ?? []).map(({ host }) => host);
  const consent: Consent = { ...createStore({ v: 1 as const, time: "", decided, accepted: [] }), decide: noop };
  return {
    page,
    settings: createStore({}),
    language: createLanguages(page.get),
    appearance: createStore<Appearance>({ themeName: "default", mode: "light", theme: undefined }),
    router: fixedRouter(path),
    session: null,
    frames,
    appTitle: none,
    badges: createStore({}),
    commands: createCommands(),
    toasts: createToasts(),
    overlays,
    dialogs: createDialogs(),
    palette: createStore(false),
    openPalette: noop,
    consent,
  };
}

/** Returns the HTML of the first paint for a path, in the default language: the navigation, or the sign-in page. */
export function renderSkeleton(page: PageData, path: string): string {
  return renderToString(
    <ShellProvider value={fixedShell(page, path)}>
      <App />
    </ShellProvider>,
  );
}

import { configEvent, type PageData } from "../../../../schemas/shell/page.ts";
import { createCommands } from "../commands/commands.ts";
import { createConsent } from "../consent/consent.ts";
import { createFrames } from "../frames/frames.ts";
import { createLanguages } from "../i18n/language.ts";
import { connectFrames } from "../messages/connect.ts";
import { createDialogs } from "../overlays/dialogs.ts";
import { createOverlays } from "../overlays/overlays.ts";
import { createToasts } from "../overlays/toasts.ts";
import { readPageData } from "../page-data.ts";
import { createRouter } from "../router/router.ts";
import { createSession } from "../session/session.ts";
import { createSettings } from "../shell/settings.ts";
import type { Shell } from "../shell/shell.ts";
import { createStore, type Readable } from "../store.ts";
import { syncTheme } from "../theme/apply.ts";

/** Creates the shell of this page. */
export function createShell(): Shell {
  const page = createStore(readPageData());
  addEventListener(configEvent, (event) => page.set((event as CustomEvent<PageData>).detail));
  const settings = createSettings();
  const language = createLanguages(page.get);
  const router = createRouter();
  const session = createSession(page.get(), settings);
  const palette = createStore(false);
  const frames = createFrames({ page, settings, language, session, router });
  const shell: Shell = {
    page,
    settings,
    language,
    appearance: syncTheme({ page, settings }),
    router,
    session,
    frames,
    appTitle: titleOf(frames.current),
    badges: createStore({}),
    commands: createCommands(),
    toasts: createToasts(),
    overlays: createOverlays({ page, language, router }),
    dialogs: createDialogs(),
    palette,
    openPalette: () => palette.set(true),
    consent: createConsent(),
  };
  connectFrames(shell);
  return shell;
}

/** Returns a store with the title of the visible application. */
function titleOf(current: Shell["frames"]["current"]): Readable<string | null> {
  const title = createStore<string | null>(null);
  let unsubscribe: (() => void) | undefined;
  const follow = () => {
    unsubscribe?.();
    const frame = current.get();
    const update = () => title.set(frame?.title.get() ?? null);
    unsubscribe = frame?.title.subscribe(update);
    update();
  };
  follow();
  current.subscribe(follow);
  return title;
}

import type { ShellSettings } from "../../../../schemas/shell/messages.ts";
import type { Frame } from "../frames/frame.ts";
import { layoutOf } from "../layouts/layouts.ts";
import { emit } from "../reporting/events.ts";
import type { Shell } from "../shell/shell.ts";
import { phaseOf } from "../shell/viewer.ts";
import { sendMessage } from "./connect.ts";
import { patchOf } from "./patch.ts";
import { sessionPayload } from "./session-payload.ts";
import { settingsFor } from "./settings-payload.ts";

/** How long the first response waits for a loading session, ms. The SDK gives up after 1.5 s. */
const MAX_WAIT = 1_000;

export type Publisher = {
  /** Sends the settings to a frame that requested them. After that, the frame also receives later changes. */
  connect: (frame: Frame) => Promise<void>;
  /** Observes the size of a frame and sends each change to the frame. */
  watch: (frame: Frame) => void;
  forget: (frame: Frame) => void;
};

/** Sends changes of settings, session and layout to the connected frames. */
export function createPublisher(shell: Shell): Publisher {
  const { page, settings, language, appearance, consent, session, frames } = shell;
  const sentState = new WeakMap<Frame, { settings: ShellSettings; session: string }>();
  const connected = () => frames.all().filter((frame) => frame.connected);

  const connect = async (frame: Frame) => {
    if (session !== null && frame.level !== "none") await waitForSession(shell, MAX_WAIT);
    const frameSettings = settingsFor(shell, frame);
    const sessionFields = await sessionPayload(shell, frame).catch(() => ({}));
    frame.version += 1;
    frame.connected = true;
    sentState.set(frame, { settings: frameSettings, session: JSON.stringify(sessionFields) });
    sendMessage(frame, "PLATFORM_SETTINGS", {
      version: frame.version,
      level: frame.level,
      settings: { ...frameSettings, ...sessionFields },
    });
    sendMessage(frame, "PLATFORM_LAYOUT", layoutFor(shell, frame));
    sendMessage(frame, "PLATFORM_VISIBILITY", { visible: frame.visible });
  };

  let isScheduled = false;
  const publish = () => {
    isScheduled = false;
    for (const frame of connected()) {
      const last = sentState.get(frame);
      const next = settingsFor(shell, frame);
      const patch = last && patchOf(last.settings, next);
      if (last === undefined || patch === undefined) continue;
      frame.version += 1;
      last.settings = next;
      sendMessage(frame, "PLATFORM_SETTINGS_UPDATED", { version: frame.version, patch });
    }
  };
  const schedulePublish = () => {
    if (!isScheduled) setTimeout(publish);
    isScheduled = true;
  };
  for (const store of [page, settings, language, appearance, consent]) store.subscribe(schedulePublish);

  const sendSession = async (frame: Frame) => {
    const payload = await sessionPayload(shell, frame).catch(() => undefined);
    const last = sentState.get(frame);
    const text = JSON.stringify(payload);
    if (payload === undefined || last === undefined || !frame.connected || last.session === text) return;
    last.session = text;
    sendMessage(frame, "PLATFORM_SESSION", payload);
  };
  let wasSignedIn = session !== null && phaseOf(session.state.get()) === "in";
  session?.state.subscribe(() => {
    const isSignedIn = phaseOf(session.state.get()) === "in";
    if (isSignedIn !== wasSignedIn) emit(isSignedIn ? "signed-in" : "signed-out");
    wasSignedIn = isSignedIn;
    schedulePublish();
    for (const frame of connected()) {
      if (frame.level === "none") continue;
      // The session is sent immediately, because a sign-out removes the frames next.
      if (isSignedIn) void sendSession(frame);
      else
        sendMessage(
          frame,
          "PLATFORM_SESSION",
          frame.level === "token" ? { user: null, accessToken: null, expiresAt: null } : { user: null },
        );
    }
  });

  // The size of a frame changes with the window, with the sidebar, and when an overlay requests a size.
  let resizeTimer: ReturnType<typeof setTimeout> | undefined;
  const sizes = new ResizeObserver(() => {
    clearTimeout(resizeTimer);
    resizeTimer = setTimeout(() => {
      for (const frame of connected())
        if (frame.visible) sendMessage(frame, "PLATFORM_LAYOUT", layoutFor(shell, frame));
    }, 150);
  });

  return {
    connect,
    watch: ({ element }) => sizes.observe(element),
    forget: ({ element }) => sizes.unobserve(element),
  };
}

/** Returns the size of a frame in px. The shell covers no part of a frame, so all insets are zero. */
function layoutFor({ page, settings }: Shell, { element }: Frame) {
  return {
    layout: layoutOf(page.get().config, settings.get()),
    viewport: { width: element.clientWidth, height: element.clientHeight },
    insets: { top: 0, right: 0, bottom: 0, left: 0 },
  };
}

/** Resolves when the session has loaded, or after `maxWait` ms. */
function waitForSession({ session }: Shell, maxWait: number): Promise<void> {
  return new Promise((done) => {
    const unsubscribe = session?.state.subscribe(() => check());
    const timer = setTimeout(finish, maxWait);
    function finish() {
      clearTimeout(timer);
      unsubscribe?.();
      done();
    }
    function check() {
      if (session === null || phaseOf(session.state.get()) !== "waiting") finish();
    }
    check();
  });
}

import type { AppMessages, Level, SessionChange, ShellSettings } from "../../../schemas/shell/messages.ts";
import type { Ready, Result } from "../types/common.ts";
import type { InitOptions } from "../types/full.ts";
import type { TinyPlatform } from "../types/tiny.ts";
import { followAddress } from "./address.ts";
import { createEvents } from "./events.ts";
import { passHotkeys } from "./hotkeys.ts";
import { createLink, type Page } from "./link.ts";
import { done, failed } from "./result.ts";
import { paint } from "./theme.ts";
import { showToast } from "./toast.ts";

const RETRY_AFTER = 500;
const MAX_TIMEOUT = 1500;
/** Default minimum remaining lifetime of a token, s. A token that expires sooner is requested again. */
const MIN_TTL = 30;
const RESPONSE_TIMEOUT = 10_000;

/** Creates the part that the tiny and the full SDK share: handshake, settings, session, address, toasts, theme. */
export function createCore(page: Page, version: string) {
  const link = createLink(page);
  const events = createEvents();
  const isFramed = page.parent !== page;
  const themedElements = new Set<HTMLElement>();
  let settings: ShellSettings | null = null;
  let level: Level | null = null;
  let settingsVersion = 0;
  let session: SessionChange = {};
  let router: InitOptions["router"];
  let started: Promise<Ready> | undefined;
  let markReady: (ready: Ready) => void = () => undefined;
  const ready = new Promise<Ready>((settle) => {
    markReady = settle;
  });
  const sendHello = () => link.sendHello({ sdk: version, ...(router && { router }) });
  const currentState = (): Ready => ({
    data: { embedded: link.isOpen(), level, settings, user: session.user ?? null },
    error: null,
  });
  const publishSettings = () => {
    for (const element of themedElements) paint(page, element, settings);
    if (settings !== null) events.emit("settings", settings);
  };
  const updateSession = ({ user, accessToken, expiresAt }: SessionChange) => {
    const next: SessionChange = { user: user ?? null, accessToken: accessToken ?? null, expiresAt: expiresAt ?? null };
    const hasChanged = JSON.stringify(next) !== JSON.stringify(session);
    session = next;
    if (hasChanged) events.emit("session", { user: next.user ?? null });
  };

  function start(options: InitOptions = {}): Promise<Ready> {
    started ??= handshake(options);
    return started;
  }

  async function handshake({ shellOrigins, router: chosenRouter, timeout = MAX_TIMEOUT }: InitOptions): Promise<Ready> {
    router = chosenRouter;
    if (isFramed) {
      if (shellOrigins !== undefined) link.restrict(shellOrigins);
      const address = followAddress(page, link);
      passHotkeys(page, link);
      listenToShell(address);
      sendHello();
      const retryTimer = setTimeout(sendHello, RETRY_AFTER);
      const timeoutTimer = setTimeout(() => markReady(currentState()), Math.min(Math.max(timeout, 0), MAX_TIMEOUT));
      await ready;
      clearTimeout(retryTimer);
      clearTimeout(timeoutTimer);
    }
    markReady(currentState());
    return ready;
  }

  function listenToShell(address: ReturnType<typeof followAddress>): void {
    let isFirst = true;
    link.listen((message) => {
      if (message.type === "PLATFORM_SETTINGS") {
        const { accessToken, expiresAt, user, ...shellSettings } = message.payload.settings;
        settingsVersion = message.payload.version;
        level = message.payload.level;
        settings = shellSettings;
        updateSession({ user: user ?? null, accessToken: accessToken ?? null, expiresAt: expiresAt ?? null });
        publishSettings();
        // Has no effect if `ready` timed out before. The late settings above are still used.
        markReady(currentState());
        if (isFirst) link.post("PLATFORM_INITIALIZED", {});
        isFirst = false;
        address.reportNow();
      } else if (message.type === "PLATFORM_SETTINGS_UPDATED") {
        const { version: next, patch } = message.payload;
        // If an update was lost, request all settings again.
        if (settings === null || next !== settingsVersion + 1) return sendHello();
        settingsVersion = next;
        const merged = Object.entries({ ...settings, ...patch }).filter(([, value]) => value !== null);
        settings = Object.fromEntries(merged) as ShellSettings;
        publishSettings();
      } else if (message.type === "PLATFORM_SESSION") updateSession(message.payload);
      else if (message.type === "PLATFORM_NAVIGATE_TO") {
        address.goTo(message.payload);
        events.emit("navigate", message.payload);
      } else if (message.type === "PLATFORM_VISIBILITY") {
        address.setVisible(message.payload.visible);
        events.emit("visibility", message.payload);
      } else if (message.type === "PLATFORM_LAYOUT") events.emit("layout", message.payload);
      else if (message.type === "PLATFORM_ERROR" && !isSilent(message.payload.type))
        events.emit("error", message.payload);
    });
  }

  async function send<Type extends keyof AppMessages>(type: Type, payload: AppMessages[Type]): Promise<Result> {
    await ready;
    return link.send(type, payload);
  }

  const getAccessToken: TinyPlatform["getAccessToken"] = async ({ minTtl = MIN_TTL } = {}) => {
    await ready;
    if (!link.isOpen()) return failed("not_embedded");
    if (level !== "token") return failed("forbidden");
    const { accessToken, expiresAt } = session;
    if (accessToken && expiresAt && expiresAt - Date.now() / 1000 > minTtl) return done(accessToken);
    return await link.request(
      "PLATFORM_SESSION_REQUESTED",
      { minTtl },
      (response) => {
        if (response.type !== "PLATFORM_SESSION") return undefined;
        updateSession(response.payload);
        return response.payload.accessToken ? done(response.payload.accessToken) : failed("signed_out");
      },
      RESPONSE_TIMEOUT,
    );
  };

  const surface: TinyPlatform = {
    ready,
    get embedded() {
      return link.isOpen();
    },
    get settings() {
      return settings;
    },
    get user() {
      return session.user ?? null;
    },
    getAccessToken,
    navigate: (url, options = {}) => send("PLATFORM_NAVIGATE", { url, ...options }),
    setTitle(title) {
      page.document.title = title;
      return send("PLATFORM_TITLE_CHANGED", { title: title.slice(0, 200) });
    },
    async toast(options) {
      await ready;
      return await showToast(link, options);
    },
    badge: (count) => send("PLATFORM_BADGE", { count }),
    async applyTheme(element = page.document.documentElement) {
      await ready;
      themedElements.add(element);
      paint(page, element, settings);
      return done(() => void themedElements.delete(element));
    },
    on: events.on,
  };
  return { surface, start, send, link, ready };
}

/**
 * Returns whether errors of a message are ignored. The SDK sends these messages itself, and the shell may reject them, for
 * example in overlays.
 */
const isSilent = (type: string) => type === "PLATFORM_URL_CHANGED" || type === "PLATFORM_HOTKEY";

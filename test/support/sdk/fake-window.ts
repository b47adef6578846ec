import type { Page } from "../../../shell/sdk/src/link.ts";

export const shellOrigin = "https://shell.example.com";
export const appOrigin = "https://app.example.com";

type Sent = { type: string; payload: Record<string, unknown>; target: string };
type Address = { pathname: string; search: string; hash: string };

const fullSettings = {
  shell: { version: "1.0.0", target: "web", layout: "sidebar" },
  appearance: {
    themeName: "default",
    mode: "dark",
    colorScheme: "system",
    density: "compact",
    tokens: { background: "oklch(0.2 0 0)", mutedForeground: "#999", radius: "6px" },
    fonts: { body: "Inter, sans-serif" },
  },
  language: { code: "en", dir: "ltr", available: ["en", "fr"] },
  region: { timeZone: "UTC" },
  navigation: [],
  cookieConsent: { acceptedHosts: [], consentedHosts: [] },
  developer: { enabled: false },
};

/** Returns a fake element with the properties that the SDK changes when it applies a theme. */
export function fakeElement() {
  const style = new Map<string, string>();
  const dataset: Record<string, string> = {};
  const element = {
    dataset,
    style: {
      setProperty: (name: string, value: string) => void style.set(name, value),
      removeProperty: (name: string) => void style.delete(name),
    },
  };
  return { element: element as unknown as HTMLElement, style, dataset };
}

/** Returns a fake browser history, which throws on a URL of another origin. */
function fakeHistory(start: string) {
  const entries = [{ url: new URL(start), state: null as unknown }];
  const write = (state: unknown, url: string | URL | null | undefined, isPush: boolean) => {
    const last = entries.at(-1)?.url ?? new URL(start);
    const next = new URL(url ?? last.href, last);
    if (next.origin !== last.origin) throw new DOMException("another origin", "SecurityError");
    if (!isPush) entries.pop();
    entries.push({ url: next, state });
  };
  const history = {
    pushState: (state: unknown, _: string, url?: string | URL | null) => write(state, url, true),
    replaceState: (state: unknown, _: string, url?: string | URL | null) => write(state, url, false),
  };
  return { history, entries, now: () => entries.at(-1)?.url ?? new URL(start) };
}

/**
 * Returns a fake window of an embedded application, with the parts that the SDK uses. `sent` contains the application's
 * messages to the shell.
 */
export function fakePage({ at = "/", isFramed = true }: { at?: string; isFramed?: boolean } = {}) {
  const sent: Sent[] = [];
  const target = new EventTarget();
  const { history, entries, now } = fakeHistory(appOrigin + at);
  const root = fakeElement();
  const shell = {
    postMessage(message: { type: string; payload: Record<string, unknown> }, origin: string) {
      const { type, payload } = structuredClone(message);
      sent.push({ type, payload, target: origin });
    },
  };
  const location = {
    origin: appOrigin,
    get href() {
      return now().href;
    },
    get pathname() {
      return now().pathname;
    },
    get search() {
      return now().search;
    },
    get hash() {
      return now().hash;
    },
  };
  class PopStateEvent extends Event {
    readonly state: unknown;
    constructor(type: string, { state }: { state: unknown }) {
      super(type);
      this.state = state;
    }
  }
  const page = {
    history,
    location,
    document: { title: "", currentScript: null, documentElement: root.element, body: root.element },
    matchMedia: () => ({ matches: false }),
    addEventListener: target.addEventListener.bind(target),
    dispatchEvent: target.dispatchEvent.bind(target),
    PopStateEvent,
    HashChangeEvent: class extends Event {},
  };
  Object.assign(page, { parent: isFramed ? shell : page });

  /** Delivers a message, by default from the shell. */
  const receive = (data: unknown, origin = shellOrigin, source: unknown = shell) => {
    const event = new Event("message");
    Object.assign(event, { data, origin, source });
    target.dispatchEvent(event);
  };
  const sendAsShell = (type: string, payload: object = {}) => receive({ type, v: 1, payload });
  return {
    page: page as unknown as Page,
    history,
    entries,
    root,
    sent,
    receive,
    sendAsShell,
    /** Responds to the SDK's first message as the shell does. */
    welcome: (level = "none", overrides: object = {}, version = 1) =>
      sendAsShell("PLATFORM_SETTINGS", { version, level, settings: { ...fullSettings, ...overrides } }),
    /** sent messages of a type */
    of: (type: string) => sent.filter((message) => message.type === type),
    last: (type: string) => sent.findLast((message) => message.type === type)?.payload ?? {},
    goBy: (address: Partial<Address>) =>
      sendAsShell("PLATFORM_NAVIGATE_TO", { pathname: "/", search: "", hash: "", ...address }),
    dispatch: (type: string, fields: object = {}) =>
      target.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), fields)),
  };
}

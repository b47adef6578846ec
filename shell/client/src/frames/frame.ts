import { createStore, type Store } from "../store.ts";
import { permissionsOf, sandboxOf, type TrustLevel } from "./trust.ts";

/** How far a frame is: it loads, it is seen, nothing came, or nobody is there who could answer. */
export type FramePhase = "loading" | "shown" | "failed" | "unreachable";

export type FrameSpec = {
  kind: "content" | "overlay" | "panel";
  /** item or view it belongs to: path of the item */
  key: string;
  /** what a person calls it */
  label: string;
  /** who speaks from it, where an application chose the label */
  speaker?: string;
  url: string;
  level: TrustLevel;
  permissions?: readonly string[] | undefined;
  sandbox?: readonly string[] | undefined;
  /** told `administration` too */
  isAdmin?: boolean;
};

/** A frame that the shell made. Trust belongs to its window and the origin of the address it was given, both together. */
export type Frame = FrameSpec & {
  id: string;
  origin: string;
  element: HTMLIFrameElement;
  phase: Store<FramePhase>;
  /** it is shown, and its page has not loaded yet */
  slow: Store<boolean>;
  /** title that the application gave its page */
  title: Store<string | null>;
  /** the right origin has asked for settings, and nothing else has spoken from this window since */
  connected: boolean;
  /** of the settings it was sent last */
  version: number;
  visible: boolean;
  /** address it shows, as far as the shell knows */
  address: string;
  /** address of the shell that belongs to it, once the application has told where it is */
  shellAddress: string | undefined;
  /** when it was shown last, for who leaves first */
  lastShownAt: number;
  /** Takes another label, as another language gives it. */
  rename: (label: string) => void;
  dispose: () => void;
};

const APPEAR_AFTER = 1_000;
const GIVE_UP_AFTER = 10_000;
/** How long the words of an application may be on their way when it has loaded, ms; then its origin is asked. */
const CHECK_AFTER = 50;
/** How long what has loaded stays covered meanwhile, ms. */
const COVER_LIMIT = 300;

let frameCount = 0;

/** Whether there is nothing to see in a frame. */
export const isBlank = ({ phase }: Pick<Frame, "phase">): boolean =>
  phase.get() === "failed" || phase.get() === "unreachable";

/**
 * Makes a frame inside `parent`. It is shown when it says so, when it is loaded, or after a second. What a browser draws in the place
 * of a page that it cannot reach has loaded, too: when the application has not spoken by then, `ask` tells whether it is there;
 * null where nobody may ask.
 */
export function createFrame(
  parent: HTMLElement,
  spec: FrameSpec,
  checkReachable: (() => Promise<boolean>) | null,
): Frame {
  const { origin } = new URL(spec.url);
  const element = document.createElement("iframe");
  const phase = createStore<FramePhase>("loading");
  const slow = createStore(false);
  element.title = spec.label;
  element.setAttribute("sandbox", sandboxOf(spec.level, spec.sandbox));
  element.allow = permissionsOf(origin, spec.permissions);
  element.referrerPolicy = "strict-origin";
  element.src = spec.url;
  let hasArrived = false;
  const appear = () =>
    phase.set((last) => (!hasArrived && (last === "failed" || last === "unreachable") ? last : "shown"));
  const arrive = () => {
    hasArrived = true;
    appear();
  };
  const offline = !navigator.onLine && origin !== location.origin;
  let isChecked = false;
  let isLoaded = false;
  const showIfReachable = async (look: () => Promise<boolean>) => {
    if (frame.connected || (await look()) || frame.connected) arrive();
    else phase.set("unreachable");
  };
  element.addEventListener("load", () => {
    isLoaded = true;
    slow.set(false);
    if (offline) return;
    if (checkReachable === null || isChecked || frame.connected) return arrive();
    isChecked = true;
    timers.push(setTimeout(appear, COVER_LIMIT));
    timers.push(setTimeout(() => void showIfReachable(checkReachable), CHECK_AFTER));
  });
  const timers = [
    setTimeout(() => {
      slow.set(!isLoaded);
      appear();
    }, APPEAR_AFTER),
    setTimeout(() => {
      slow.set(false);
      if (!hasArrived && !frame.connected) phase.set((last) => (last === "unreachable" ? last : "failed"));
    }, GIVE_UP_AFTER),
  ];
  if (offline) phase.set("failed");
  parent.append(element);
  frameCount += 1;
  const title = createStore<string | null>(null);
  const retitle = () => {
    const pageTitle = title.get();
    element.title = pageTitle === null ? frame.label : `${frame.label} – ${pageTitle}`;
  };
  title.subscribe(retitle);
  const frame: Frame = {
    ...spec,
    id: `frame-${frameCount}`,
    origin,
    element,
    phase,
    slow,
    title,
    connected: false,
    version: 0,
    visible: true,
    address: spec.url,
    shellAddress: undefined,
    lastShownAt: performance.now(),
    rename(label) {
      frame.label = label;
      retitle();
    },
    dispose() {
      for (const timer of timers) clearTimeout(timer);
      element.remove();
    },
  };
  return frame;
}

/** Shows a frame, or keeps it out of sight and out of reach. */
export function setVisible(frame: Frame, visible: boolean): void {
  frame.visible = visible;
  frame.element.inert = !visible;
  frame.element.classList.toggle("kept", !visible);
  if (visible) frame.element.removeAttribute("aria-hidden");
  else frame.element.setAttribute("aria-hidden", "true");
  if (visible) frame.lastShownAt = performance.now();
}

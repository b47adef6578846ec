import { createStore, type Store } from "../store.ts";
import { permissionsOf, sandboxOf, type TrustLevel } from "./trust.ts";

/** State of a frame: loading, visible, failed to load in time, or unreachable because its origin does not respond. */
export type FramePhase = "loading" | "shown" | "failed" | "unreachable";

export type FrameSpec = {
  kind: "content" | "overlay" | "panel";
  /** path of the item or view that the frame belongs to */
  key: string;
  /** label shown to users */
  label: string;
  /** name shown above dialogs of the frame, when an application chose the label */
  speaker?: string;
  url: string;
  level: TrustLevel;
  permissions?: readonly string[] | undefined;
  sandbox?: readonly string[] | undefined;
  /** whether the frame also receives the settings `administration` */
  isAdmin?: boolean;
};

/** A frame that the shell created. A message is accepted only from the frame's window and the origin of its URL. */
export type Frame = FrameSpec & {
  id: string;
  origin: string;
  element: HTMLIFrameElement;
  phase: Store<FramePhase>;
  /** the frame is visible but its page has not finished loading */
  isLoadingSlowly: Store<boolean>;
  /** title that the application set */
  title: Store<string | null>;
  /** the expected origin requested settings, and no other origin has posted from this window since */
  connected: boolean;
  /** version of the settings sent last */
  version: number;
  visible: boolean;
  /** current URL, as far as the shell knows */
  address: string;
  /** shell address that matches `address`, if it is known */
  shellAddress: string | undefined;
  /** when it was last shown (`performance.now()`), for eviction */
  lastShownAt: number;
  /** Sets the label after a change of language. */
  setLabel: (label: string) => void;
  dispose: () => void;
};

const APPEAR_AFTER = 1_000;
const FAIL_AFTER = 10_000;
/** How long to wait after load for the first message of the application before its origin is probed, ms. */
const CHECK_AFTER = 50;
/** How long a loaded frame stays covered during the probe, ms. */
const COVER_LIMIT = 300;

let frameCount = 0;

/** Returns whether the page of a frame failed to load. */
export const isBlank = ({ phase }: Pick<Frame, "phase">): boolean =>
  phase.get() === "failed" || phase.get() === "unreachable";

/**
 * Creates a frame inside `parent`. The frame becomes visible when the application requests it, when the page has loaded, or
 * after a second. Browsers also fire `load` for their own error pages, so `checkReachable` probes the origin if the frame has
 * sent no message 50 ms after `load`. `checkReachable` is null if the content security policy forbids the probe.
 */
export function createFrame(
  parent: HTMLElement,
  spec: FrameSpec,
  checkReachable: (() => Promise<boolean>) | null,
): Frame {
  const { origin } = new URL(spec.url);
  const element = document.createElement("iframe");
  const phase = createStore<FramePhase>("loading");
  const isLoadingSlowly = createStore(false);
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
  // A probe that fails because the network is down does not mean that the page failed to load.
  const showIfReachable = async (probe: () => Promise<boolean>) => {
    if (frame.connected || (await probe()) || frame.connected || !navigator.onLine) arrive();
    else phase.set("unreachable");
  };
  element.addEventListener("load", () => {
    isLoaded = true;
    isLoadingSlowly.set(false);
    if (offline) return;
    if (checkReachable === null || isChecked || frame.connected) return arrive();
    isChecked = true;
    timers.push(setTimeout(appear, COVER_LIMIT));
    timers.push(setTimeout(() => void showIfReachable(checkReachable), CHECK_AFTER));
  });
  const timers = [
    setTimeout(() => {
      isLoadingSlowly.set(!isLoaded);
      appear();
    }, APPEAR_AFTER),
    setTimeout(() => {
      isLoadingSlowly.set(false);
      if (!hasArrived && !frame.connected) phase.set((last) => (last === "unreachable" ? last : "failed"));
    }, FAIL_AFTER),
  ];
  if (offline) phase.set("failed");
  parent.append(element);
  frameCount += 1;
  const title = createStore<string | null>(null);
  const updateTitle = () => {
    const pageTitle = title.get();
    element.title = pageTitle === null ? frame.label : `${frame.label} – ${pageTitle}`;
  };
  title.subscribe(updateTitle);
  const frame: Frame = {
    ...spec,
    id: `frame-${frameCount}`,
    origin,
    element,
    phase,
    isLoadingSlowly,
    title,
    connected: false,
    version: 0,
    visible: true,
    address: spec.url,
    shellAddress: undefined,
    lastShownAt: performance.now(),
    setLabel(label) {
      frame.label = label;
      updateTitle();
    },
    dispose() {
      for (const timer of timers) clearTimeout(timer);
      element.remove();
    },
  };
  return frame;
}

/** Shows a frame, or hides it and makes it inert. */
export function setVisible(frame: Frame, visible: boolean): void {
  frame.visible = visible;
  frame.element.inert = !visible;
  frame.element.classList.toggle("kept", !visible);
  if (visible) frame.element.removeAttribute("aria-hidden");
  else frame.element.setAttribute("aria-hidden", "true");
  if (visible) frame.lastShownAt = performance.now();
}

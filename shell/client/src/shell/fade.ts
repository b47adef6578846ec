import { flushSync } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "react";
import "./fade.css";

/** The part of the page that fades: the view in the content, or an overlay. Everything else changes without animation. */
export type Fading = "view" | "overlay";

const canAnimate = () =>
  "startViewTransition" in document &&
  document.visibilityState === "visible" &&
  !matchMedia("(prefers-reduced-motion: reduce)").matches;

let running: ViewTransition | undefined;

/** Runs a change of the page as a view transition, if the browser and the user's motion preference allow it. */
function fade(area: Fading, change: () => void): void {
  if (!canAnimate()) {
    change();
    return;
  }
  document.documentElement.dataset.fading = area;
  const transition = document.startViewTransition(() => flushSync(change));
  running = transition;
  const end = () => {
    if (running === transition) delete document.documentElement.dataset.fading;
  };
  // `ready` rejects when another transition or a hidden page skips this one. The change is applied in any case.
  transition.ready.catch(() => undefined);
  transition.finished.then(end, end);
}

/**
 * Returns the value to display. It changes to `value` immediately, or with a fade if `shouldFade` returns true. Values with
 * equal keys count as the same.
 */
export function useFading<Value>(
  area: Fading,
  value: Value,
  keyOf: (value: Value) => unknown,
  shouldFade: (from: Value, to: Value) => boolean,
): Value {
  const [displayed, setDisplayed] = useState({ value });
  const latest = useRef(value);
  latest.current = value;
  const key = keyOf(value);
  const isSame = Object.is(keyOf(displayed.value), key);
  const isFading = !isSame && shouldFade(displayed.value, value);
  useLayoutEffect(() => {
    const follow = () => setDisplayed({ value: latest.current });
    if (isFading) fade(area, follow);
    else if (!isSame) follow();
  }, [key]);
  return isFading ? displayed.value : value;
}

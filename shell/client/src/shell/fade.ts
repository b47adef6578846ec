import { flushSync } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "react";
import "./fade.css";

/** What fades: the view in the content, or what stands over the page. Everything else is drawn as it is meanwhile. */
export type Fading = "view" | "overlay";

const mayAnimate = () =>
  "startViewTransition" in document &&
  document.visibilityState === "visible" &&
  !matchMedia("(prefers-reduced-motion: reduce)").matches;

let running: ViewTransition | undefined;

/** Makes a change of the page, fading where the browser can and the person allows it. */
function fade(area: Fading, change: () => void): void {
  if (!mayAnimate()) {
    change();
    return;
  }
  document.documentElement.dataset.fading = area;
  const transition = document.startViewTransition(() => flushSync(change));
  running = transition;
  const end = () => {
    if (running === transition) delete document.documentElement.dataset.fading;
  };
  // One that another one overtakes, or that a hidden page cuts short, has made its change all the same.
  transition.ready.catch(() => undefined);
  transition.finished.then(end, end);
}

/**
 * A value as it is shown: it follows `value` at once, or through a fade where `fades` says so for the step from one to the other.
 * `keyOf` tells values apart.
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

import type { ComponentChildren } from "preact";
import { createPortal, useLayoutEffect, useState } from "react";
import { lastEndOf } from "../ui/confine-focus.ts";
import { openModals } from "../ui/open-modals.ts";

function createContainer(): HTMLElement | null {
  // The first paint renders in Node, without a document.
  if (typeof document === "undefined") return null;
  const container = document.createElement("div");
  container.className = "afloat";
  return container;
}

/** Moves an element. Its focus and animations continue if the browser supports `moveBefore`. */
function moveElement(element: HTMLElement, parent: HTMLElement) {
  const next = lastEndOf(parent);
  if (element.isConnected && "moveBefore" in parent) parent.moveBefore(element, next);
  else parent.insertBefore(element, next);
}

/**
 * Renders its children above everything: in the topmost open modal dialog, else in the body. A modal dialog makes everything
 * outside of it inert.
 */
export function FloatingLayer({ children }: { children: ComponentChildren }) {
  const [container] = useState(createContainer);
  useLayoutEffect(() => {
    if (container === null) return undefined;
    const follow = () => moveElement(container, openModals.get().at(-1) ?? document.body);
    follow();
    const unsubscribe = openModals.subscribe(follow);
    return () => {
      unsubscribe();
      container.remove();
    };
  }, [container]);
  return container === null ? null : createPortal(children, container);
}

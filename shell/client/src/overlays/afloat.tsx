import type { ComponentChildren } from "preact";
import { createPortal, useLayoutEffect, useState } from "react";
import { lastEndOf } from "../ui/confine-focus.ts";
import { openModals } from "../ui/open-modals.ts";

function makeRoom(): HTMLElement | null {
  // The first paint is drawn where there is no document.
  if (typeof document === "undefined") return null;
  const room = document.createElement("div");
  room.className = "afloat";
  return room;
}

/** Moves an element, where the browser can with its focus and its animations. */
function move(element: HTMLElement, parent: HTMLElement) {
  const next = lastEndOf(parent);
  if (element.isConnected && "moveBefore" in parent) parent.moveBefore(element, next);
  else parent.insertBefore(element, next);
}

/** Stands above everything, and inside of the topmost modal dialog while one is open: what is outside of that is out of reach. */
export function Afloat({ children }: { children: ComponentChildren }) {
  const [room] = useState(makeRoom);
  useLayoutEffect(() => {
    if (room === null) return undefined;
    const follow = () => move(room, openModals.get().at(-1) ?? document.body);
    follow();
    const leave = openModals.subscribe(follow);
    return () => {
      leave();
      room.remove();
    };
  }, [room]);
  return room === null ? null : createPortal(children, room);
}

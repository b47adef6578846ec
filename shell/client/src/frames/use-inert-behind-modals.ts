import { useLayoutEffect, useRef } from "react";
import { followModals } from "../ui/open-modals.ts";

/**
 * The room of a frame, inert while a modal dialog covers it. Not by drawing it again: the opener gets the focus back as soon as the
 * dialog is closed.
 */
export function useInertBehindModals() {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (container.current === null ? undefined : followModals(container.current)), []);
  return container;
}

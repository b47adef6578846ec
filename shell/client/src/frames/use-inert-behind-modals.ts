import { useLayoutEffect, useRef } from "react";
import { followModals } from "../ui/open-modals.ts";

/**
 * Ref of an element that is inert while a modal dialog covers it. Set directly instead of by a render, because the opener gets
 * the focus back as soon as the dialog closes.
 */
export function useInertBehindModals() {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (container.current === null ? undefined : followModals(container.current)), []);
  return container;
}

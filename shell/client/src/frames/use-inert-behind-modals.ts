import { useLayoutEffect, useRef } from "react";
import { followModals } from "../ui/open-modals.ts";

/**
 * Returns a ref for an element that is inert while a modal dialog covers it. `inert` is set without a render, because the
 * opener of the dialog gets the focus back as soon as the dialog closes.
 */
export function useInertBehindModals() {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (container.current === null ? undefined : followModals(container.current)), []);
  return container;
}

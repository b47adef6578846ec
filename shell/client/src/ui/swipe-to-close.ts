import type { RefObject } from "preact";
import { useRef } from "react";

/** Swipe distance that closes a sheet, px. */
const SWIPE_TO_CLOSE = 72;

/** Returns whether a dialog is a sheet at the lower edge of the window, over its whole width. */
function isAtLowerEdge(dialog: HTMLElement): boolean {
  const { bottom, width } = dialog.getBoundingClientRect();
  return Math.round(bottom) >= innerHeight && Math.round(width) >= innerWidth;
}

/** Returns props that close a sheet at the lower edge of the window by a swipe down that starts where nothing is scrolled. */
export function useSwipeToClose(ref: RefObject<HTMLDialogElement | null>, isEnabled: boolean, onClose: () => void) {
  const startY = useRef<number | null>(null);
  const drag = (y: number) => {
    const moved = startY.current === null ? 0 : Math.max(0, y - startY.current);
    if (ref.current) ref.current.style.translate = moved > 0 ? `0 ${moved}px` : "";
    return moved;
  };
  if (!isEnabled) return {};
  const reset = () => {
    startY.current = null;
    drag(0);
  };
  return {
    onTouchStart: (event: TouchEvent) => {
      const dialog = ref.current;
      const isScrolled = (dialog?.querySelector(".sheet-body, .dialog-body")?.scrollTop ?? 0) > 0;
      const startsInSheet = !(event.target instanceof Element && event.target.closest(".afloat"));
      const canStart = dialog !== null && isAtLowerEdge(dialog) && !isScrolled && startsInSheet;
      startY.current = canStart ? (event.touches[0]?.clientY ?? null) : null;
    },
    onTouchMove: (event: TouchEvent) => void drag(event.touches[0]?.clientY ?? 0),
    onTouchEnd: (event: TouchEvent) => {
      const moved = drag(event.changedTouches[0]?.clientY ?? 0);
      reset();
      if (moved > SWIPE_TO_CLOSE) onClose();
    },
    onTouchCancel: reset,
  };
}

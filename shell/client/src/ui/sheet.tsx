import type { ComponentChildren } from "preact";
import { useId, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { IconButton } from "./button.tsx";
import { useModal } from "./dialog.tsx";

/** Swipe distance that closes a sheet, px. */
const SWIPE_TO_CLOSE = 72;

/** A modal dialog at an edge of the screen. A swipe down also closes a bottom sheet. */
export function Sheet({
  title,
  hideTitle = false,
  side,
  size,
  class: extra,
  dismissible = true,
  children,
  onClose,
}: {
  title: ComponentChildren;
  hideTitle?: boolean;
  side: "right" | "left" | "top" | "bottom";
  size?: "sm" | "md" | "lg" | "full";
  class?: string;
  dismissible?: boolean;
  children: ComponentChildren;
  onClose: () => void;
}) {
  const id = useId();
  const t = useT();
  const modal = useModal(onClose, dismissible);
  const startY = useRef<number | null>(null);
  const drag = (y: number) => {
    const moved = startY.current === null ? 0 : Math.max(0, y - startY.current);
    if (modal.ref.current) modal.ref.current.style.translate = moved > 0 ? `0 ${moved}px` : "";
    return moved;
  };
  const swipe =
    side === "bottom" && dismissible
      ? {
          onTouchStart: (event: TouchEvent) => {
            const scrolled = modal.ref.current?.querySelector(".sheet-body")?.scrollTop ?? 0;
            const startsInSheet = !(event.target instanceof Element && event.target.closest(".afloat"));
            startY.current = scrolled > 0 || !startsInSheet ? null : (event.touches[0]?.clientY ?? null);
          },
          onTouchMove: (event: TouchEvent) => void drag(event.touches[0]?.clientY ?? 0),
          onTouchEnd: (event: TouchEvent) => {
            if (drag(event.changedTouches[0]?.clientY ?? 0) > SWIPE_TO_CLOSE) onClose();
            startY.current = null;
            drag(0);
          },
          onTouchCancel: () => {
            startY.current = null;
            drag(0);
          },
        }
      : {};
  return (
    <dialog
      {...modal}
      {...swipe}
      class={["sheet", side, size, extra].filter(Boolean).join(" ")}
      aria-labelledby={`${id}-title`}
    >
      <div class="sheet-head">
        <h2 id={`${id}-title`} class={hideTitle ? "visually-hidden" : undefined}>
          {title}
        </h2>
        {dismissible ? <IconButton icon="x" label={t("common.close")} onClick={onClose} /> : null}
      </div>
      <div class="sheet-body">{children}</div>
    </dialog>
  );
}

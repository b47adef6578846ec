import type { ComponentChildren } from "preact";
import { useId } from "react";
import { useT } from "../i18n/use-t.ts";
import { IconButton } from "./button.tsx";
import { useModal } from "./dialog.tsx";
import { useSwipeToClose } from "./swipe-to-close.ts";

/** A modal dialog at an edge of the window, on phones at the lower edge. A swipe down also closes it there. */
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
  const swipe = useSwipeToClose(modal.ref, dismissible, onClose);
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

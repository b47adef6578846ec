import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { IconButton } from "./button.tsx";
import { openModal } from "./open-modals.ts";
import { useSwipeToClose } from "./swipe-to-close.ts";

type DialogProps = {
  title: ComponentChildren;
  /** small text above the title, such as the name of the application that opened the dialog */
  kicker?: ComponentChildren;
  description?: ComponentChildren;
  children?: ComponentChildren;
  /** buttons; the primary button is last */
  actions?: ComponentChildren;
  size?: "sm" | "md" | "lg" | "full";
  /** false: Escape and clicks outside do not close the dialog, and it has no close button */
  dismissible?: boolean;
  class?: string;
  onClose: () => void;
};

/**
 * A modal `<dialog>`, open while it is rendered, on phones a sheet at the lower edge. The focus stays inside, Escape closes the dialog, and the opener gets the
 * focus back.
 */
export function Dialog({
  title,
  kicker,
  description,
  children,
  actions,
  size = "sm",
  dismissible = true,
  class: extra,
  onClose,
}: DialogProps) {
  const id = useId();
  const t = useT();
  const modal = useModal(onClose, dismissible);
  const swipe = useSwipeToClose(modal.ref, dismissible, onClose);
  return (
    <dialog
      {...modal}
      {...swipe}
      class={["dialog", size, extra].filter(Boolean).join(" ")}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
    >
      <div class="dialog-head">
        <div>
          {kicker === undefined ? null : <div class="muted tiny">{kicker}</div>}
          <h2 id={`${id}-title`}>{title}</h2>
        </div>
        {dismissible ? <IconButton icon="x" label={t("common.close")} onClick={onClose} /> : null}
      </div>
      {description === undefined ? null : (
        <p class="dialog-text" id={`${id}-description`}>
          {description}
        </p>
      )}
      {children === undefined ? null : <div class="dialog-body">{children}</div>}
      {actions === undefined ? null : <div class="dialog-actions">{actions}</div>}
    </dialog>
  );
}

/**
 * Returns the props of a modal `<dialog>`. The dialog opens on mount. On Escape or a click outside it calls `onClose`, unless
 * `dismissible` is false.
 */
export function useModal(onClose: () => void, dismissible = true) {
  const ref = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    const close = dialog === null ? undefined : openModal(dialog);
    // Focus the dialog itself, because the browser would focus the close button.
    if (!dialog?.querySelector("[autofocus]")) dialog?.focus();
    return () => {
      close?.();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const isOutside = (event: MouseEvent) => {
    const box = ref.current?.getBoundingClientRect();
    if (event.target !== ref.current || box === undefined) return false;
    const { clientX: x, clientY: y } = event;
    return x < box.left || x > box.right || y < box.top || y > box.bottom;
  };
  return {
    ref,
    tabIndex: -1,
    ...(dismissible ? {} : { closedby: "none" as const }),
    // A second Escape closes any dialog without a `cancel` event, so a dialog that is not dismissible is opened again. `close`
    // also fires after unmount.
    onClose: () => {
      if (ref.current === null) return;
      if (dismissible) onClose();
      else ref.current.showModal();
    },
    onCancel: (event: Event) => {
      event.preventDefault();
      if (dismissible && event.target === ref.current) onClose();
    },
    // A press that starts inside, as when the user selects text, must not close the dialog.
    onPointerDown: (event: PointerEvent) => {
      pressedOutside.current = isOutside(event);
    },
    onClick: (event: MouseEvent) => {
      if (dismissible && pressedOutside.current && isOutside(event)) onClose();
    },
  };
}

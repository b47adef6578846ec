import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { IconButton } from "./button.tsx";
import { openModal } from "./open-modals.ts";

type DialogProps = {
  title: ComponentChildren;
  /** small print above the title: who asks */
  kicker?: ComponentChildren;
  description?: ComponentChildren;
  children?: ComponentChildren;
  /** buttons, the primary one last */
  actions?: ComponentChildren;
  size?: "sm" | "md" | "lg" | "full";
  /** false: neither Escape, the cross nor a press beside it closes it */
  dismissible?: boolean;
  class?: string;
  onClose: () => void;
};

/** A modal window over the native `<dialog>`: focus stays inside, Escape closes, the opener gets the focus back. It is open while it is drawn. */
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
  return (
    <dialog
      {...modal}
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

/** What a modal `<dialog>` needs: it opens when it is drawn, and asks to be closed by Escape and by a press beside it. */
export function useModal(onClose: () => void, dismissible = true) {
  const ref = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    const close = dialog === null ? undefined : openModal(dialog);
    // Not the cross, which would be first: reading begins at the title, unless something asks for the focus itself.
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
    // A browser asks once whether it may close, and the next time Escape is pressed it does not. One that is no longer drawn is told
    // of its end as well.
    onClose: () => {
      if (ref.current === null) return;
      if (dismissible) onClose();
      else ref.current.showModal();
    },
    onCancel: (event: Event) => {
      event.preventDefault();
      if (dismissible && event.target === ref.current) onClose();
    },
    // A press that begins inside, as one does who selects text, closes nothing.
    onPointerDown: (event: PointerEvent) => {
      pressedOutside.current = isOutside(event);
    },
    onClick: (event: MouseEvent) => {
      if (dismissible && pressedOutside.current && isOutside(event)) onClose();
    },
  };
}

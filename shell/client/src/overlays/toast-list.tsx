import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon-names.ts";
import { type Toast, type ToastKind, toastDuration } from "./toasts.ts";

const icons: Record<ToastKind, IconName> = {
  info: "info",
  success: "circle-check",
  warning: "triangle-alert",
  error: "circle-alert",
  loading: "loader-circle",
};

/** The list of toasts. Screen readers announce new toasts. Hover and focus pause the timer of a toast. */
export function ToastList() {
  const { toasts } = useShell();
  const all = useStore(toasts);
  const t = useT();
  const list = useRef<HTMLElement>(null);
  // On phones, overlays use this height as bottom padding, so that a toast covers none of their buttons.
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    if (all.length === 0 || list.current === null) style.removeProperty("--toasts-height");
    else style.setProperty("--toasts-height", `${list.current.offsetHeight}px`);
  }, [all]);
  return (
    <section ref={list} class="toasts" aria-label={t("toasts.label")}>
      <ol aria-live="polite" aria-relevant="additions text">
        {all.map((toast) => (
          <ToastRow key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}

function ToastRow({ toast }: { toast: Toast }) {
  const { toasts } = useShell();
  const t = useT();
  const [isPaused, setIsPaused] = useState(false);
  const { id, title, description, progress, kind = "info", action, cancel, onClear } = toast;
  useEffect(() => {
    const duration = toastDuration(toast);
    if (duration === null || isPaused) return undefined;
    const timer = setTimeout(() => {
      toasts.dismiss(id);
      onClear?.();
    }, duration);
    return () => clearTimeout(timer);
  }, [toast, isPaused, id, onClear, toasts]);
  const clear = () => {
    toasts.dismiss(id);
    onClear?.();
  };
  const selectChoice = (choice: { onSelect: () => void }) => () => {
    toasts.dismiss(id);
    choice.onSelect();
  };
  return (
    <li
      class={`toast ${kind}`}
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
      onFocusIn={() => setIsPaused(true)}
      onFocusOut={() => setIsPaused(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Escape must not close the dialog around the toast.
        event.preventDefault();
        clear();
      }}
    >
      <Icon name={icons[kind]} />
      <div class="toast-text" role={kind === "error" ? "alert" : undefined}>
        <strong>{title}</strong>
        {description === undefined ? null : <div class="muted">{description}</div>}
        {progress === undefined ? null : (
          // Progress changes too often to be announced.
          <div class="toast-progress" aria-live="off">
            <progress aria-label={title} value={progress.value} />
            <span class="muted">{progress.text}</span>
          </div>
        )}
        {action || cancel ? (
          <div class="toast-actions">
            {action ? (
              <Button size="small" onClick={selectChoice(action)}>
                {action.label}
              </Button>
            ) : null}
            {cancel ? (
              <Button size="small" variant="quiet" onClick={selectChoice(cancel)}>
                {cancel.label}
              </Button>
            ) : null}
          </div>
        ) : null}
      </div>
      <IconButton icon="x" size={14} label={t("common.close")} onClick={clear} />
    </li>
  );
}

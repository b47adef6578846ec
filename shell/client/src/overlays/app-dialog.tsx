import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { DialogMode } from "./dialogs.ts";

const okKeys = { ok: "dialog.ok", okCancel: "dialog.ok", delete: "dialog.delete", confirm: "dialog.confirm" } as const;

const hasOk = (mode: DialogMode): mode is Exclude<DialogMode, "onlyCancel"> => mode !== "onlyCancel";

/** The open dialog of an application. It shows the application's name above the title. */
export function AppDialogView() {
  const { dialogs } = useShell();
  const t = useT();
  const dialog = useStore(dialogs);
  if (dialog === null) return null;
  const { mode, onAnswer, okLabel, cancelLabel, secondaryLabel, from, title, description } = dialog;
  const answer = (choice: "ok" | "cancel" | "secondary") => () => {
    dialogs.set(null);
    onAnswer(choice);
  };
  return (
    <Dialog
      key={dialog.id}
      kicker={from}
      title={title}
      description={description}
      onClose={answer("cancel")}
      actions={
        <>
          {secondaryLabel === undefined ? null : (
            <Button variant="quiet" onClick={answer("secondary")}>
              {secondaryLabel}
            </Button>
          )}
          {mode === "ok" ? null : <Button onClick={answer("cancel")}>{cancelLabel ?? t("common.cancel")}</Button>}
          {hasOk(mode) ? (
            <Button variant={mode === "delete" ? "danger" : "primary"} onClick={answer("ok")}>
              {okLabel ?? t(okKeys[mode])}
            </Button>
          ) : null}
        </>
      }
    />
  );
}

import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { loginAddress } from "../../router/next.ts";
import { type ServiceError, supportCode, toServiceError } from "../../session/service-error.ts";
import { useShell } from "../../shell/context.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Card, Notice } from "../../ui/surfaces.tsx";

/** Deletes the account after the user typed its email address. Shows the reason if the service rejects the deletion. */
export function DeleteAccount({ email }: { email: string }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <Card title={t("account.delete")}>
      <p class="muted small">{t("account.deleteText")}</p>
      <div>
        <Button variant="danger-outline" icon="trash" onClick={() => setOpen(true)}>
          {t("account.delete")}
        </Button>
      </div>
      {open ? <ConfirmDeletion email={email} close={() => setOpen(false)} /> : null}
    </Card>
  );
}

function ConfirmDeletion({ email, close }: { email: string; close: () => void }) {
  const { session, toasts, router } = useShell();
  const t = useT();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ServiceError | null>(null);
  const remove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await session?.withToken(async (service, token) => service.deleteAccount?.(token));
      close();
      await session?.logout();
      toasts.show({ kind: "success", title: t("account.deleted") });
      router.navigate("/", { replace: true });
    } catch (error) {
      setFailure(toServiceError(error));
      setBusy(false);
    }
  };
  const signInAgain = async () => {
    close();
    await session?.logout();
    router.navigate(loginAddress("/__settings/account"));
  };
  return (
    <Dialog
      title={t("account.deleteAsk", { email })}
      description={t("account.deleteText")}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t("common.cancel")}</Button>
          <Button
            variant="danger"
            busy={busy}
            disabled={typed.trim().toLowerCase() !== email.toLowerCase()}
            onClick={() => void remove()}
          >
            {t("account.delete")}
          </Button>
        </>
      }
    >
      <div class="delete-ask">
        {failure === null ? null : <Reason failure={failure} signInAgain={() => void signInAgain()} />}
        <TextField
          label={t("account.deleteConfirm", { email })}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
    </Dialog>
  );
}

function Reason({ failure, signInAgain }: { failure: ServiceError; signInAgain: () => void }) {
  const t = useT();
  if (failure.code === "recent_login_required")
    return (
      <Notice
        kind="warning"
        title={t("account.recent")}
        actions={
          <Button size="small" onClick={signInAgain}>
            {t("login.again")}
          </Button>
        }
      >
        {t("account.recentText")}
      </Notice>
    );
  if (failure.code === "last_company_owner")
    return (
      <Notice kind="warning" title={t("account.lastOwner")}>
        {t("account.lastOwnerText")}
      </Notice>
    );
  return <Notice kind="danger" title={t("account.failed")} code={supportCode(failure, t)} />;
}

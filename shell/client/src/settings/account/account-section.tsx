import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { providerName } from "../../login/provider-names.ts";
import { accountText } from "../../session/methods/catalog.ts";
import { type ServiceError, supportCode, toServiceError } from "../../session/service-error.ts";
import { useShell } from "../../shell/context.ts";
import { useSessionState } from "../../shell/viewer.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Card, Notice } from "../../ui/surfaces.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Devices } from "./devices.tsx";
import "./account.css";

/** The signed-in user, their devices, sign-out and account deletion. */
export function AccountSection() {
  const { session, page } = useShell();
  const t = useT();
  const { user } = useSessionState();
  const [leaving, setLeaving] = useState(false);
  if (user === null || session === null) return null;
  const { email, provider, groups, isCompanyOwner, isStaff } = user;
  const isPlatform = page.get().config.backend?.type === "platform";
  const roles = [isCompanyOwner ? t("account.owner") : "", isStaff ? t("account.staff") : ""].filter(Boolean);
  const method = accountText(provider);
  const methodName = method === null ? (providerName(provider) ?? t("account.company")) : t(method);
  const facts = [
    { name: t("account.email"), value: email },
    { name: t("account.provider"), value: methodName },
    { name: t("account.role"), value: roles.join(", ") },
    { name: t("account.groups"), value: groups.join(", ") },
  ];
  return (
    <>
      <Card>
        <NameForm key={user.id} name={user.name} />
        <dl class="facts">
          {facts
            .filter(({ value }) => value !== "")
            .map(({ name, value }) => [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>])}
        </dl>
        <div>
          <Button
            icon="log-out"
            busy={leaving}
            onClick={() => {
              setLeaving(true);
              void session.logout();
            }}
          >
            {t("account.signOut")}
          </Button>
        </div>
      </Card>
      {isPlatform ? <Devices /> : null}
      {isPlatform ? <DeleteAccount email={email} /> : null}
    </>
  );
}

function NameForm({ name }: { name: string }) {
  const { session, toasts } = useShell();
  const t = useT();
  const [typed, setTyped] = useState(name);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(false);
  const [failure, setFailure] = useState<ServiceError | null>(null);
  const save = async () => {
    const text = typed.trim().replace(/\s+/g, " ");
    const isWrong = text === "" || text.length > 150;
    setWrong(isWrong);
    if (isWrong || busy) return;
    setBusy(true);
    setFailure(null);
    try {
      await session?.withToken((service, token) => service.saveName(token, text));
      // The name is part of the token, so the token is renewed.
      await session?.refresh();
      toasts.show({ kind: "success", title: t("account.saved") });
    } catch (error) {
      setFailure(toServiceError(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="account-name"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label={t("account.name")}
        help={t("account.nameHelp")}
        error={wrong ? t("account.nameNeeded") : undefined}
        name="name"
        autocomplete="name"
        maxLength={200}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setWrong(false);
        }}
      />
      {failure === null ? null : (
        <Notice kind="danger" title={t("account.failed")} code={supportCode(failure, t)}>
          {null}
        </Notice>
      )}
      <div>
        <Button type="submit" busy={busy} disabled={typed.trim() === name}>
          {t("account.save")}
        </Button>
      </div>
    </form>
  );
}

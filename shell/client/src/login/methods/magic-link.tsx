import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { isAddress, sentLink } from "../link/pending-link.ts";
import type { MethodProps, MethodView } from "./view.ts";

export const magicLink: MethodView = {
  kind: "form",
  isForCli: true,
  View: LinkForm,
};

function LinkForm({ busy, run, next, cli, onSent }: MethodProps) {
  const { language, session } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const [email, setEmail] = useState(() => session?.consumeLastEmail() ?? "");
  const [wrong, setWrong] = useState(false);
  const isBusy = busy === "link";
  const send = (address: string) =>
    run("link", async () => {
      await session?.requestMagicLink({ email: address, next, language: code, ...(cli && { cli }) });
      onSent(sentLink(address, null));
    });
  return (
    <form
      class="login-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const isValid = isAddress(email);
        setWrong(!isValid);
        if (isValid && !isBusy) void send(email.trim());
        if (!isValid) event.currentTarget.querySelector("input")?.focus();
      }}
    >
      <TextField
        label={t("login.email")}
        error={wrong ? t("login.emailInvalid") : undefined}
        class="large"
        type="email"
        name="email"
        autocomplete="email"
        autocapitalize="none"
        inputmode="email"
        enterkeyhint="send"
        spellcheck={false}
        maxLength={254}
        value={email}
        onInput={(event) => {
          setEmail(event.currentTarget.value);
          setWrong(false);
        }}
      />
      <Button type="submit" variant="primary" size="large" wide busy={isBusy}>
        {t("login.send")}
      </Button>
    </form>
  );
}

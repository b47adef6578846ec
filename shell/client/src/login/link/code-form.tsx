import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { asRefusal, type Refusal } from "../../session/refusal.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { groupedCode, type PendingLink, plainCode } from "./pending-link.ts";

/** Letters and digits of a code of the platform. */
const LENGTH = 8;

/** One field for the code of the message: typed or pasted in any spelling, sent when it is complete. */
export function CodeForm({
  pending,
  keep,
  fail,
}: {
  pending: PendingLink;
  keep: (pending: PendingLink) => void;
  fail: (refusal: Refusal | null) => void;
}) {
  const { session, page } = useShell();
  const t = useT();
  // Other services choose the length of their codes themselves: there it is sent by the button.
  const isPlatform = useStore(page).config.backend?.type === "platform";
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(false);
  const { email, tries } = pending;
  const send = async (code: string) => {
    if (busy || code === "") return;
    setBusy(true);
    setWrong(false);
    fail(null);
    try {
      await session?.submitCode({ email, code });
    } catch (error) {
      const refused = asRefusal(error);
      const isWrong = refused.code === "sign_in_code_invalid";
      if (isWrong) keep({ ...pending, tries: tries - 1 });
      else fail(refused);
      setWrong(isWrong);
      setBusy(false);
    }
  };
  if (tries <= 0) return <Notice kind="warning">{t("login.codeClosed")}</Notice>;
  return (
    <form
      class="login-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send(plainCode(typed));
      }}
    >
      <TextField
        label={t("login.code")}
        help={t("login.codeHelp")}
        error={wrong ? t("login.codeTries", { count: tries }) : undefined}
        class="large login-code"
        name="code"
        autocomplete="one-time-code"
        autocapitalize="characters"
        inputmode={isPlatform ? "text" : "numeric"}
        spellcheck={false}
        readonly={busy}
        value={typed}
        onInput={({ currentTarget: input }) => {
          const plain = plainCode(input.value).slice(0, isPlatform ? LENGTH : 10);
          // Grouped while it grows at its end; someone who mends the middle is left alone.
          const isAtEnd = input.selectionStart === input.value.length;
          const shown = isPlatform && isAtEnd ? groupedCode(plain) : input.value.slice(0, 24);
          input.value = shown;
          setTyped(shown);
          setWrong(false);
          if (isPlatform && plain.length === LENGTH) void send(plain);
        }}
      />
      <Button type="submit" variant="primary" size="large" wide busy={busy}>
        {t("login.codeSend")}
      </Button>
    </form>
  );
}

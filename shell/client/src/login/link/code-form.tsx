import { useEffect, useRef, useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { type ServiceError, toServiceError } from "../../session/service-error.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { findCode, groupedCode, type PendingLink, plainCode } from "./pending-link.ts";

/** Length of a code by backend type. A Supabase project may configure up to ten digits; the default is six. */
const lengths: Record<string, number> = { platform: 8, supabase: 6 };
const MAX_LENGTH = 10;

/** The field for the emailed code. It ignores case and separators, and submits when the code is complete. */
export function CodeForm({
  pending,
  onPending,
  onError,
}: {
  pending: PendingLink;
  onPending: (pending: PendingLink) => void;
  onError: (error: ServiceError | null) => void;
}) {
  const { session, page } = useShell();
  const t = useT();
  const backend = useStore(page).config.backend?.type;
  const isPlatform = backend === "platform";
  const length = backend === undefined ? undefined : lengths[backend];
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(false);
  // Six digits may be the prefix of a longer Supabase code, and each wrong code uses up a try. After one failure, only the
  // button submits a Supabase code.
  const [hasFailed, setHasFailed] = useState(false);
  const { email, tries } = pending;
  const send = async (code: string) => {
    if (busy || code === "") return;
    setBusy(true);
    setWrong(false);
    onError(null);
    try {
      await session?.submitCode({ email, code });
    } catch (error) {
      const failure = toServiceError(error);
      const isWrong = failure.code === "sign_in_code_invalid";
      if (isWrong) onPending({ ...pending, tries: tries - 1 });
      else onError(failure);
      setWrong(isWrong);
      setHasFailed(true);
      setBusy(false);
    }
  };
  const pasteRef = useRef((_event: ClipboardEvent) => {});
  pasteRef.current = (event) => {
    const code = length === undefined ? null : findCode(event.clipboardData?.getData("text") ?? "", length);
    if (code === null || tries <= 0) return;
    event.preventDefault();
    setTyped(isPlatform ? groupedCode(code) : code);
    setWrong(false);
    void send(code);
  };
  // A code may be pasted anywhere on the page.
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => pasteRef.current(event);
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
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
        error={wrong ? t("login.codeTries", { count: tries }) : undefined}
        class="large login-code"
        name="code"
        placeholder={isPlatform ? "••••-••••" : "••••••"}
        autocomplete="one-time-code"
        autocapitalize="characters"
        inputmode={isPlatform ? "text" : "numeric"}
        spellcheck={false}
        readonly={busy}
        value={typed}
        onInput={({ currentTarget: input }) => {
          const plain = plainCode(input.value).slice(0, isPlatform ? length : MAX_LENGTH);
          // The code is grouped only while the user types at its end. After an edit in the middle, it stays as typed.
          const isAtEnd = input.selectionStart === input.value.length;
          const formatted = isPlatform && isAtEnd ? groupedCode(plain) : input.value.slice(0, 24);
          input.value = formatted;
          setTyped(formatted);
          setWrong(false);
          if (plain.length === length && (isPlatform || !hasFailed)) void send(plain);
        }}
      />
      <Button type="submit" variant="primary" size="large" wide busy={busy}>
        {t("login.codeSend")}
      </Button>
    </form>
  );
}

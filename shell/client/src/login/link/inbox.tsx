import type { ComponentChildren } from "preact";
import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import type { LiveSettings } from "../../session/adapters/adapter.ts";
import { type ServiceError, toServiceError } from "../../session/service-error.ts";
import type { CommandLine } from "../../session/sign-in.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Icon } from "../../ui/icon.tsx";
import { useCountdown } from "../error-views.tsx";
import { formatMinutes } from "../errors.ts";
import { CodeForm } from "./code-form.tsx";
import { formatLifetime, type PendingLink, sentLink } from "./pending-link.ts";

type Props = {
  pending: PendingLink;
  onPending: (pending: PendingLink | null) => void;
  live: LiveSettings;
  next: string;
  cli: CommandLine | null;
  notice: ComponentChildren;
  onError: (error: ServiceError | null) => void;
};

/** Shows that a link was sent. The text is the same for every address, so that it does not reveal which accounts exist. */
export function Inbox({ pending, onPending, live, next, cli, notice, onError }: Props) {
  const { session, language } = useShell();
  const t = useT();
  const { code: tag } = useStore(language);
  const [busy, setBusy] = useState(false);
  const { email, resendAt } = pending;
  const seconds = useCountdown(resendAt);
  const resend = async () => {
    setBusy(true);
    onError(null);
    try {
      await session?.requestMagicLink({ email, next, language: tag, ...(cli && { cli }) });
      onPending(sentLink(email, pending));
    } catch (error) {
      const failure = toServiceError(error);
      if (failure.retryAfter !== null) onPending({ ...pending, resendAt: Date.now() + failure.retryAfter * 1000 });
      onError(failure);
    }
    setBusy(false);
  };
  const hasCode = live.signInCode && cli === null;
  const [before = "", after = ""] = t(hasCode ? "login.sentBoth" : "login.sentLink", { email: "\n" }).split("\n");
  return (
    <>
      <span class="login-mark">
        <Icon name="mail" size={20} />
      </span>
      <h1 tabIndex={-1}>{t("login.inbox")}</h1>
      <p class="login-text">
        {before}
        <strong>{email}</strong>
        {after}
      </p>
      {notice}
      {hasCode ? <CodeForm pending={pending} onPending={onPending} onError={onError} /> : null}
      <div class="login-ways">
        <button type="button" class="way" aria-busy={busy} disabled={busy || seconds > 0} onClick={() => void resend()}>
          {seconds > 0 ? t("login.resendIn", { time: formatMinutes(seconds) }) : t("login.resend")}
        </button>
        <button
          type="button"
          class="way"
          onClick={() => {
            onError(null);
            onPending(null);
          }}
        >
          {t("login.other")}
        </button>
      </div>
      <p class="muted small">
        {live.linkSeconds === null ? null : `${t("login.lifetime", { time: formatLifetime(live.linkSeconds, tag) })} `}
        {t("login.waiting")}
      </p>
      <div class="visually-hidden" role="status">
        {pending.sent > 1 ? t("login.resent") : null}
      </div>
    </>
  );
}

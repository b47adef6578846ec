import type { ComponentChildren } from "preact";
import { useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import type { LiveSettings } from "../../session/adapters/adapter.ts";
import { type ServiceError, toServiceError } from "../../session/service-error.ts";
import type { CommandLine } from "../../session/sign-in.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useCountdown } from "../error-views.tsx";
import { formatMinutes } from "../errors.ts";
import { CodeForm } from "./code-form.tsx";
import { formatLinkExpiry, type PendingLink, sentLink } from "./pending-link.ts";

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
  const [before = "", after = ""] = t("login.inboxText", { email: "\n" }).split("\n");
  return (
    <>
      <span class="login-mark">
        <Icon name="mail" size={20} />
      </span>
      <h1 tabIndex={-1}>{t("login.inbox")}</h1>
      <p class="muted login-text">
        {before}
        <strong>{email}</strong>
        {after}{" "}
        {live.linkSeconds === null ? "" : t("login.until", { time: formatLinkExpiry(pending, live.linkSeconds, tag) })}{" "}
        {t("login.waiting")}
      </p>
      {notice}
      {live.signInCode && cli === null ? <CodeForm pending={pending} onPending={onPending} onError={onError} /> : null}
      <div class="login-actions">
        <Button size="large" busy={busy} disabled={seconds > 0} onClick={() => void resend()}>
          {seconds > 0 ? t("login.resendIn", { time: formatMinutes(seconds) }) : t("login.resend")}
        </Button>
        <Button
          variant="quiet"
          size="large"
          onClick={() => {
            onError(null);
            onPending(null);
          }}
        >
          {t("login.other")}
        </Button>
      </div>
      <div class="visually-hidden" role="status">
        {pending.sent > 1 ? t("login.resent") : null}
      </div>
    </>
  );
}

import { useEffect, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { loginAddress } from "../router/next.ts";
import { type ServiceError, supportCode } from "../session/service-error.ts";
import { useShell } from "../shell/context.ts";
import { useSessionState } from "../shell/viewer.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Blank, Notice } from "../ui/surfaces.tsx";
import { describeError, textKeyOf } from "./errors.ts";
import { savePending } from "./link/pending-link.ts";

/** Returns the seconds until a time (ms since the epoch), updated every second; 0 when it has passed. */
export function useCountdown(until: number): number {
  const secondsLeft = () => Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(secondsLeft);
  useEffect(() => {
    setSeconds(secondsLeft());
    if (secondsLeft() === 0) return undefined;
    const timer = setInterval(() => {
      setSeconds(secondsLeft());
      if (secondsLeft() === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

/** Shows an error above the form. The form remains usable. */
export function ErrorNotice({ error }: { error: ServiceError }) {
  const t = useT();
  const { title, text } = describeError(error, t, location.origin);
  return (
    <Notice kind="danger" title={title} code={supportCode(error, t)}>
      {text}
    </Notice>
  );
}

/** Shows an error and the next steps instead of the form. Signs out a user with a session before another sign-in. */
export function ErrorCard({
  error,
  next,
  retry,
  onDone,
}: {
  error: ServiceError;
  next: string;
  /** retries the same operation */
  retry?: () => unknown;
  /** called when the user leaves the card */
  onDone?: () => void;
}) {
  const { session, router } = useShell();
  const { status } = useSessionState();
  const t = useT();
  const [busy, setBusy] = useState(false);
  const { title, text } = describeError(error, t, location.origin);
  const key = textKeyOf(error);
  const isWaiting = key === "access_pending" || key === "access_denied";
  const hasSession = !["none", "signed-out", "expired"].includes(status);
  const runRetry = async () => {
    setBusy(true);
    await retry?.();
    setBusy(false);
  };
  const leave = (to: string) => {
    if (hasSession) void session?.logout();
    // The pending link belongs to the account that the user leaves.
    savePending(null);
    onDone?.();
    router.navigate(to, { replace: true });
  };
  const label =
    key === "magic_link_invalid" ? "login.newLink" : /state|code/.test(key) ? "login.startAgain" : "login.again";
  const variant = retry === undefined ? "primary" : "secondary";
  return (
    <Blank
      icon={isWaiting ? (key === "access_pending" ? "clock" : "shield") : "circle-alert"}
      title={title}
      code={supportCode(error, t)}
      actions={
        <>
          {retry === undefined ? null : (
            <Button variant="primary" size="large" busy={busy} onClick={() => void runRetry()}>
              {t(isWaiting ? "login.checkAgain" : "common.retry")}
            </Button>
          )}
          {isWaiting || hasSession ? (
            <Button size="large" variant={variant} onClick={() => leave(loginAddress(next))}>
              {t("login.otherAccount")}
            </Button>
          ) : (
            <ButtonLink size="large" variant={variant} href={loginAddress(next)}>
              {t(label)}
            </ButtonLink>
          )}
          {!hasSession ? null : isWaiting ? (
            <Button size="large" variant="quiet" onClick={() => leave("/")}>
              {t("account.signOut")}
            </Button>
          ) : (
            <ButtonLink size="large" variant="quiet" href="/">
              {t("noAccess.home")}
            </ButtonLink>
          )}
        </>
      }
    >
      {text}
    </Blank>
  );
}

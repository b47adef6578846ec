import { useEffect, useState } from "react";
import { consumeBootRecord } from "../boot/boot-record.ts";
import { useT } from "../i18n/use-t.ts";
import { loginAddress } from "../router/next.ts";
import type { CallbackAddress, CallbackResult } from "../session/sign-in.ts";
import { rememberMethod } from "../session/sign-in.ts";
import { useShell } from "../shell/context.ts";
import type { Shell } from "../shell/shell.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Blank } from "../ui/surfaces.tsx";
import { ErrorCard } from "./error-views.tsx";
import { LoginPage } from "./login-page.tsx";

/** The original callback address. The boot record returns its secrets only once, so they are kept here for a retry. */
let address: CallbackAddress | undefined;
function readAddress(): CallbackAddress {
  const { origin, pathname, search, hash } = location;
  const secret = consumeBootRecord().callback;
  if (secret !== undefined) address = { origin, ...secret };
  return address ?? { origin, pathname, search, hash };
}

/**
 * Completes a sign-in that returned to the shell: signs in, shows an error, or asks before replacing the session of another
 * user.
 */
export function CallbackView() {
  const shell = useShell();
  const { session, router } = shell;
  const t = useT();
  const [result, setResult] = useState<CallbackResult | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isMounted = true;
    void session
      ?.exchangeCode({ ...readAddress(), ...(attempt > 0 && { attempt }) })
      .catch(() => null)
      .then((result) => {
        if (!isMounted) return;
        if (result === null || result.kind === "nothing")
          router.navigate(loginAddress(result?.next ?? "/"), { replace: true });
        else if (result.kind === "signed-in") finishSignIn(shell, result);
        else setResult(result);
      });
    return () => {
      isMounted = false;
    };
  }, [session, router, shell, attempt]);
  if (result === null)
    return (
      <LoginPage step="finishing">
        <div class="blank" role="status">
          <span class="blank-icon">
            <Icon name="loader-circle" size={20} />
          </span>
          <h1 tabIndex={-1}>{t("login.finishing")}</h1>
        </div>
      </LoginPage>
    );
  if (result.kind === "ask")
    return (
      <LoginPage step="ask">
        <ConfirmReplace result={result} />
      </LoginPage>
    );
  if (result.kind !== "refused") return null;
  const { error, next, provider } = result;
  const retryExchange = () => {
    setResult(null);
    setAttempt((last) => last + 1);
  };
  // The address contains no code to retry with, so this starts the sign-in again or refreshes the existing session.
  const startAgain = async () => {
    if (provider !== undefined) return session?.startOAuth({ provider, next }).catch(() => undefined);
    if (session?.state.get().status === "signed-out") return router.navigate(loginAddress(next), { replace: true });
    await session?.refresh();
    if (session?.state.get().status === "signed-in") router.navigate(next, { replace: true });
  };
  // After a temporary error the same code may still work.
  const canRetry = error.status === 0 || error.status >= 429 || error.status === 403;
  const retry = canRetry ? retryExchange : error.code === "access_pending" ? startAgain : undefined;
  return (
    <LoginPage step="refused">
      <ErrorCard error={error} next={next} {...(retry && { retry })} />
    </LoginPage>
  );
}

/**
 * Navigates to the address that the user requested. After a sign-in by link, shows which account is signed in, because links
 * open in any browser.
 */
function finishSignIn(
  { router, toasts, language, session }: Shell,
  { user, next, isLink }: Extract<CallbackResult, { kind: "signed-in" }>,
) {
  router.navigate(next, { replace: true });
  if (!isLink) return;
  const { t } = language.get();
  toasts.show({
    id: "signed-in",
    kind: "success",
    title: t("login.welcome", { email: user.email }),
    duration: 10_000,
    action: { label: t("account.signOut"), onSelect: () => void session?.logout() },
  });
}

/** Asks before replacing the session of another user. */
function ConfirmReplace({ result }: { result: Extract<CallbackResult, { kind: "ask" }> }) {
  const shell = useShell();
  const { session, router } = shell;
  const t = useT();
  const { user, current, tokens, next } = result;
  // Wallet accounts have no email address.
  const currentName = current.email || current.name;
  const replace = () => {
    session?.accept(tokens);
    rememberMethod("magic_link");
    finishSignIn(shell, { kind: "signed-in", user, next, isLink: true });
  };
  const keepSession = () => {
    void session?.discard(tokens);
    router.navigate("/", { replace: true });
  };
  return (
    <Blank
      icon="user"
      title={t("login.ask", { email: user.email })}
      actions={
        <>
          <Button variant="primary" size="large" wide onClick={replace}>
            {t("login.askGo", { email: user.email })}
          </Button>
          <Button size="large" wide onClick={keepSession}>
            {t("login.askKeep", { current: currentName })}
          </Button>
        </>
      }
    >
      {t("login.askText", { current: currentName })}
    </Blank>
  );
}

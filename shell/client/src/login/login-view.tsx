import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { safeNext } from "../router/next.ts";
import type { LiveSettings } from "../session/adapters/adapter.ts";
import { readCallback } from "../session/callback.ts";
import { offeredMethods } from "../session/methods/catalog.ts";
import { type ServiceError, serviceError, supportCode } from "../session/service-error.ts";
import type { CommandLine } from "../session/sign-in.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle } from "../shell/use-text.ts";
import { useSessionState } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Blank, Notice } from "../ui/surfaces.tsx";
import { FormSkeleton } from "../views/login-skeleton.tsx";
import { readCliRequest } from "./cli-request.ts";
import { ErrorCard, ErrorNotice } from "./error-views.tsx";
import { Inbox } from "./link/inbox.tsx";
import { loadPending, type PendingLink, savePending } from "./link/pending-link.ts";
import { LoginPage } from "./login-page.tsx";
import { MethodList } from "./method-list.tsx";
import { useLiveSettings } from "./use-live-settings.ts";

/** The sign-in page. It offers the methods that are configured here and enabled in the service. */
export function LoginView() {
  const { page, session, router } = useShell();
  const t = useT();
  const { backend } = useStore(page).config;
  const { status, error } = useSessionState();
  const search = useStore(router, ({ search }) => search);
  const next = safeNext(new URLSearchParams(search).get("next"), location.origin);
  const cli = readCliRequest(search);
  const [callbackError, setCallbackError] = useCallbackError();
  const isLeaving = status === "signed-in" && cli === null && callbackError === null;
  // Runs before the form renders, because the form reads the email address of the ended session.
  useLayoutEffect(() => {
    if (status === "expired") session?.acknowledgeEnd();
  }, [status, session]);
  useEffect(() => {
    if (!isLeaving) return;
    savePending(null);
    router.navigate(next, { replace: true });
  }, [isLeaving, next, router]);
  if (backend === undefined)
    return (
      <LoginPage step="none">
        <Blank icon="log-in" title={t("login.noBackend")} actions={<HomeLink />}>
          {t("login.noBackendText")}
        </Blank>
      </LoginPage>
    );
  if (status === "loading" || isLeaving)
    return (
      <LoginPage step="loading">
        <FormSkeleton />
      </LoginPage>
    );
  if (status === "pending")
    return (
      <LoginPage step="pending">
        <ErrorCard
          error={serviceError(error ?? "access_pending", { status: 403 })}
          next={next}
          retry={() => session?.refresh()}
        />
      </LoginPage>
    );
  // A signed-in user returned with an error.
  if (status === "signed-in" && cli === null && callbackError !== null)
    return (
      <LoginPage step="refused">
        <ErrorCard
          error={callbackError}
          next={next}
          onDone={() => setCallbackError(null)}
          {...(callbackError.code === "access_pending" && {
            retry: async () => {
              await session?.refresh();
              setCallbackError(null);
            },
          })}
        />
      </LoginPage>
    );
  return <SignIn next={next} cli={cli} callbackError={callbackError} onShown={() => setCallbackError(null)} />;
}

/** Returns the error of the current address and its setter. Reads the error code once and removes it from the address. */
function useCallbackError(): [ServiceError | null, (error: ServiceError | null) => void] {
  const { page, router } = useShell();
  const [callbackError, setCallbackError] = useState(() => {
    const { origin, pathname, search, hash } = location;
    const type = page.get().config.backend?.type ?? "platform";
    const { error } = readCallback({ origin, pathname, search, hash }, type);
    return error === undefined ? null : serviceError(error, { status: 400 });
  });
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    const names = ["platform_oauth_error", "platform_oauth_error_code"];
    if (!names.some((name) => query.has(name))) return;
    for (const name of names) query.delete(name);
    router.navigate(query.size === 0 ? "/login" : `/login?${query}`, { replace: true });
  }, [router]);
  return [callbackError, setCallbackError];
}

type SignInProps = {
  next: string;
  cli: CommandLine | null;
  /** error whose code was in the address */
  callbackError: ServiceError | null;
  /** called when the form shows the error, so that it is not shown again after the sign-in */
  onShown: () => void;
};

function SignIn({ next, cli, callbackError, onShown }: SignInProps) {
  const [live, reload] = useLiveSettings();
  const [error, setError] = useState(callbackError);
  useEffect(onShown, []);
  // A user who returns with an error starts over.
  const [pending, setPending] = useState(() => (error === null ? loadPending() : null));
  const storePending = (value: PendingLink | null) => {
    setPending(value);
    savePending(value);
  };
  const showError = (failure: ServiceError | null) => {
    setError(failure);
    // Reloads the settings, because the method was disabled meanwhile.
    if (failure !== null && /_disabled$|^oauth_client_unavailable$/.test(failure.code)) {
      storePending(null);
      reload();
    }
  };
  if (error?.code === "access_pending" || error?.code === "access_denied")
    return (
      <LoginPage step="refused">
        <ErrorCard
          error={error}
          next={next}
          onDone={() => {
            setError(null);
            setPending(null);
          }}
          {...(error.code === "access_pending" && { retry: () => setError(null) })}
        />
      </LoginPage>
    );
  const notice = error === null ? null : <ErrorNotice error={error} />;
  if (live.kind === "loading")
    return (
      <LoginPage step="loading">
        <FormSkeleton />
      </LoginPage>
    );
  if (live.kind === "failed")
    return (
      <LoginPage step="failed">
        <Unreachable error={live.error} reload={reload} />
      </LoginPage>
    );
  return (
    <LoginPage step={pending === null ? "form" : "inbox"}>
      {pending === null ? (
        <Form live={live.settings} next={next} cli={cli} notice={notice} onSent={storePending} onError={showError} />
      ) : (
        <Inbox
          pending={pending}
          onPending={storePending}
          live={live.settings}
          next={next}
          cli={cli}
          notice={notice}
          onError={showError}
        />
      )}
    </LoginPage>
  );
}

type FormProps = {
  live: LiveSettings;
  next: string;
  cli: CommandLine | null;
  notice: ComponentChildren;
  onSent: (pending: PendingLink) => void;
  onError: (error: ServiceError | null) => void;
};

function Form({ live, cli, notice, ...rest }: FormProps) {
  const { page } = useShell();
  const t = useT();
  const { backend, title } = useStore(page).config;
  const [last] = useState(lastMethod);
  if (backend === undefined) return null;
  const offered = offeredMethods(backend, live, last);
  if (offered.length === 0)
    return (
      <Blank icon="log-in" title={t("login.none")} actions={<HomeLink />}>
        {t("login.noneText")}
      </Blank>
    );
  return (
    <>
      <h1 tabIndex={-1}>{t("login.title", { title: shellTitle(title) })}</h1>
      {cli === null ? null : (
        <Notice title={t("login.cli")} kind="warning">
          {t("login.cliText")}
        </Notice>
      )}
      {notice}
      <MethodList methods={offered} last={last} cli={cli} {...rest} />
    </>
  );
}

/** A link to the start page, shown when sign-in is not possible. */
function HomeLink() {
  const t = useT();
  return (
    <ButtonLink size="large" href="/">
      {t("noAccess.home")}
    </ButtonLink>
  );
}

function Unreachable({ error, reload }: { error: ServiceError; reload: () => void }) {
  const t = useT();
  if (error.code === "no_company")
    return (
      <Blank icon="log-in" title={t("login.noCompany")} actions={<HomeLink />}>
        {t("login.noCompanyText")}
      </Blank>
    );
  return (
    <Blank
      icon="wifi-off"
      title={t("login.unreachable")}
      code={supportCode(error, t)}
      actions={
        <Button size="large" onClick={reload}>
          {t("common.retry")}
        </Button>
      }
    >
      {t("login.unreachableText")}
    </Blank>
  );
}

function lastMethod(): string | null {
  try {
    return localStorage.getItem("platform:last-login");
  } catch {
    return null;
  }
}

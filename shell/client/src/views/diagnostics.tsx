import { useEffect, useState } from "react";
import type { PageBackend } from "../../../../schemas/shell/page.ts";
import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { warnings } from "../reporting/warnings.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/surfaces.tsx";
import { workerState } from "../worker/worker.ts";
import "../settings/settings.css";

type ServiceStatus = {
  name: string;
  url: string;
  result: "checking" | "reachable" | "failing" | "unreachable";
  status?: number;
  ms?: number;
};

const LIMIT = 8_000;

/** The diagnostics view: versions, service worker, reachable services, frames, and warnings. */
export function Diagnostics() {
  const { page, frames, language } = useShell();
  const t = useT();
  const { config, version, mode, target } = useStore(page);
  const { code } = useStore(language);
  const worker = useStore(workerState);
  const shownWarnings = useStore(warnings);
  const [attempt, setAttempt] = useState(0);
  const statuses = useServiceStatuses(attempt);
  const time = new Intl.DateTimeFormat(code, { timeStyle: "medium" });
  return (
    <div class="view">
      <h1 tabIndex={-1}>{t("diagnostics.title")}</h1>
      <Card title={t("diagnostics.versions")}>
        <dl class="facts">
          <dt>{t("updates.shell")}</dt>
          <dd>{version}</dd>
          {config.version === undefined ? null : (
            <>
              <dt>{t("diagnostics.version")}</dt>
              <dd>{config.version}</dd>
            </>
          )}
          <dt>{t("diagnostics.mode")}</dt>
          <dd>
            {t(`diagnostics.${mode}`)}, {t(`diagnostics.${target}`)}
          </dd>
          <dt>{t("worker.state")}</dt>
          <dd>{t(`worker.${worker}` as MessageKey)}</dd>
          <dt>{t("diagnostics.browser")}</dt>
          <dd>{navigator.userAgent}</dd>
        </dl>
      </Card>
      {statuses.length === 0 ? null : (
        <Card title={t("diagnostics.services")}>
          <dl class="facts">
            {statuses.map(({ name, url, result, status, ms }) => [
              <dt key={`${name}-name`}>{name}</dt>,
              <dd key={`${name}-state`}>
                {t(`diagnostics.${result}`, { status: status ?? "" })}
                {ms === undefined ? "" : ` · ${ms} ms`}
                <div class="muted tiny mono">{url}</div>
              </dd>,
            ])}
          </dl>
          <div>
            <Button icon="refresh-cw" onClick={() => setAttempt(attempt + 1)}>
              {t("diagnostics.again")}
            </Button>
          </div>
        </Card>
      )}
      <Card title={t("diagnostics.frames")}>
        {frames.all().length === 0 ? (
          <p class="muted small">{t("diagnostics.noFrames")}</p>
        ) : (
          <dl class="facts">
            {frames.all().map((frame) => [
              <dt key={`${frame.id}-name`}>{frame.label}</dt>,
              <dd key={`${frame.id}-facts`}>
                <span class="mono">{frame.origin}</span> · {frame.level} ·{" "}
                {t(frame.connected ? "diagnostics.connected" : "diagnostics.silent")}
              </dd>,
            ])}
          </dl>
        )}
      </Card>
      <Card title={t("diagnostics.warnings")}>
        {shownWarnings.length === 0 ? (
          <p class="muted small">{t("diagnostics.noWarnings")}</p>
        ) : (
          <dl class="facts">
            {shownWarnings.map(({ time: loggedAt, text }, index) => [
              <dt key={`${loggedAt}-${index}-time`}>{time.format(loggedAt)}</dt>,
              <dd key={`${loggedAt}-${index}-text`}>{text}</dd>,
            ])}
          </dl>
        )}
      </Card>
    </div>
  );
}

/** Requests a public endpoint of the backend that CORS allows for every origin. */
function fetchHealth({ type, url, publishableKey = "" }: PageBackend, options: RequestInit) {
  return type === "platform"
    ? fetch(`${url}/api/v1/health`, options)
    : fetch(`${url}/auth/v1/settings`, { ...options, headers: { apikey: publishableKey } });
}

/** Checks whether each configured service responds. */
function useServiceStatuses(attempt: number): ServiceStatus[] {
  const { config } = useStore(useShell().page);
  const [results, setResults] = useState<ServiceStatus[]>([]);
  useEffect(() => {
    let isMounted = true;
    const { backend, storage } = config;
    const services = [
      ...(backend ? [{ name: "backend", url: backend.url, request: fetchHealth.bind(null, backend) }] : []),
      ...(storage
        ? [
            {
              name: "storage",
              url: storage.url,
              request: (options: RequestInit) => fetch(`${storage.url}/storage/v1/health`, options),
            },
          ]
        : []),
    ];
    setResults(services.map(({ name, url }) => ({ name, url, result: "checking" })));
    for (const { name, url, request } of services) {
      const startedAt = performance.now();
      void request({ credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(LIMIT) })
        .then(({ ok, status }) => ({
          result: ok ? ("reachable" as const) : ("failing" as const),
          status,
          ms: Math.round(performance.now() - startedAt),
        }))
        .catch(() => ({ result: "unreachable" as const }))
        .then(
          (outcome) =>
            isMounted &&
            setResults((all) => all.map((last) => (last.name === name ? { name, url, ...outcome } : last))),
        );
    }
    return () => {
      isMounted = false;
    };
  }, [config, attempt]);
  return results;
}

import { useEffect, useState } from "react";
import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { warnings } from "../reporting/warnings.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/surfaces.tsx";
import { workerState } from "../worker/worker.ts";
import "../settings/settings.css";

type Reach = { name: string; url: string; result: "checking" | "reachable" | "unreachable"; ms?: number };

const LIMIT = 8_000;

/** Versions, the worker, who answers, which frames there are, what went wrong. */
export function Diagnostics() {
  const { page, frames, language } = useShell();
  const t = useT();
  const { config, version, mode, target } = useStore(page);
  const { code } = useStore(language);
  const worker = useStore(workerState);
  const kept = useStore(warnings);
  const [attempt, setAttempt] = useState(0);
  const reaches = useReach(attempt);
  const time = new Intl.DateTimeFormat(code, { timeStyle: "medium" });
  return (
    <div class="view">
      <h1 tabIndex={-1}>{t("diagnostics.title")}</h1>
      <Card title={t("diagnostics.versions")}>
        <dl class="facts">
          <dt>{t("updates.shell")}</dt>
          <dd>{version}</dd>
          <dt>{t("diagnostics.version")}</dt>
          <dd>{config.version ?? t("updates.unnamed")}</dd>
          <dt>{t("diagnostics.mode")}</dt>
          <dd>
            {mode}, {target}
          </dd>
          <dt>{t("worker.state")}</dt>
          <dd>{t(`worker.${worker}` as MessageKey)}</dd>
          <dt>{t("diagnostics.browser")}</dt>
          <dd>{navigator.userAgent}</dd>
        </dl>
      </Card>
      {reaches.length === 0 ? null : (
        <Card title={t("diagnostics.services")}>
          <dl class="facts">
            {reaches.map(({ name, url, result, ms }) => [
              <dt key={`${name}-name`}>{name}</dt>,
              <dd key={`${name}-state`}>
                {t(`diagnostics.${result}`)}
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
        {kept.length === 0 ? (
          <p class="muted small">{t("diagnostics.noWarnings")}</p>
        ) : (
          <dl class="facts">
            {kept.map(({ time: at, text }, index) => [
              <dt key={`${at}-${index}-time`}>{time.format(at)}</dt>,
              <dd key={`${at}-${index}-text`}>{text}</dd>,
            ])}
          </dl>
        )}
      </Card>
    </div>
  );
}

/** Asks every configured service whether it answers; what it answers is not read. */
function useReach(attempt: number): Reach[] {
  const { config } = useStore(useShell().page);
  const [results, setResults] = useState<Reach[]>([]);
  useEffect(() => {
    let wanted = true;
    const services = [
      { name: "backend", url: config.backend?.url },
      { name: "storage", url: config.storage?.url },
    ].flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url, result: "checking" as const }]));
    setResults(services);
    for (const { name, url } of services) {
      const begun = performance.now();
      void fetch(url, { mode: "no-cors", credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(LIMIT) })
        .then(() => ({ result: "reachable" as const, ms: Math.round(performance.now() - begun) }))
        .catch(() => ({ result: "unreachable" as const }))
        .then(
          (found) =>
            wanted && setResults((all) => all.map((one) => (one.name === name ? { name, url, ...found } : one))),
        );
    }
    return () => {
      wanted = false;
    };
  }, [config, attempt]);
  return results;
}

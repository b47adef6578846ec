import { useCallback, useEffect, useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import { call } from "../../session/adapters/call.ts";
import { type ServiceError, supportCode, toServiceError } from "../../session/service-error.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card, Notice, Skeleton } from "../../ui/surfaces.tsx";
import { formatBytes, type Quota, quotaLevel, readQuotas } from "./quota.ts";
import "../account/account.css";

type Quotas = ReturnType<typeof readQuotas>;

/** Storage usage of the company and of the user. */
export function StorageSection() {
  const { page } = useShell();
  const t = useT();
  const { storage } = useStore(page).config;
  const { quotas, failure, load } = useQuotas(storage?.url);
  if (storage === undefined) return null;
  return (
    <>
      {failure === null ? null : (
        <Notice
          kind="danger"
          title={t("storage.failed")}
          code={supportCode(failure, t)}
          actions={
            <Button size="small" onClick={load}>
              {t("common.retry")}
            </Button>
          }
        >
          {t("storage.failedText")}
        </Notice>
      )}
      {quotas === null ? (
        failure === null ? (
          <Card>
            <Skeleton width={120} />
            <Skeleton height={8} />
            <Skeleton width={180} />
          </Card>
        ) : null
      ) : (
        <>
          {quotas.company === null ? null : <Meter label={t("storage.company")} quota={quotas.company} />}
          {quotas.user === null ? null : <Meter label={t("storage.user")} quota={quotas.user} />}
        </>
      )}
      {storage.filesUrl === undefined ? null : (
        <div>
          <ButtonLink href={storage.filesUrl} target="_blank" rel="noopener noreferrer" icon="arrow-up-right">
            {t("storage.open")}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** Loads the quotas on mount, when the window gets the focus, and after uploads. */
function useQuotas(url: string | undefined) {
  const { session } = useShell();
  const [quotas, setQuotas] = useState<Quotas | null>(null);
  const [failure, setFailure] = useState<ServiceError | null>(null);
  const load = useCallback(() => {
    if (url === undefined || session === null) return;
    session
      .withToken((_, token) => call(`${url}/storage/v1/quota`, { token }))
      .then(
        (response) => {
          setQuotas(readQuotas(response));
          setFailure(null);
        },
        (error: unknown) => setFailure(toServiceError(error)),
      );
  }, [url, session]);
  useEffect(() => {
    load();
    for (const name of ["focus", "platform:uploaded"]) addEventListener(name, load);
    return () => {
      for (const name of ["focus", "platform:uploaded"]) removeEventListener(name, load);
    };
  }, [load]);
  return { quotas, failure, load };
}

function Meter({ label, quota }: { label: string; quota: Quota }) {
  const { language } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const bytes = (count: number) => formatBytes(count, code);
  const { used, max, free } = quota;
  const level = quotaLevel(quota);
  const text =
    max === null
      ? t("storage.noLimit", { used: bytes(used) })
      : t("storage.used", { used: bytes(used), max: bytes(max) });
  return (
    <Card title={label}>
      {max === null ? null : (
        <meter class={`meter ${level}`} aria-label={label} aria-valuetext={text} min={0} max={max} value={used} />
      )}
      <div class="meter-text small">
        <span>{text}</span>
        {free === null ? null : <span class="muted">{t("storage.free", { free: bytes(free) })}</span>}
      </div>
      {level === "fine" ? null : (
        <div class={`meter-note small ${level}`}>
          <Icon name="triangle-alert" size={14} />
          <span>
            {t(level === "full" ? "storage.full" : "storage.nearly")}
            {level === "full" ? `. ${t("storage.fullText")}` : null}
          </span>
        </div>
      )}
    </Card>
  );
}

import { useCallback, useEffect, useState } from "react";
import { useT } from "../../i18n/use-t.ts";
import type { Device } from "../../session/adapters/adapter.ts";
import { type ServiceError, supportCode, toServiceError } from "../../session/service-error.ts";
import { useShell } from "../../shell/context.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card, Notice, Skeleton } from "../../ui/surfaces.tsx";
import { relativeTime } from "./relative-time.ts";
import { readUserAgent } from "./user-agent.ts";

/** Lists signed-in browsers and applications, each with a button that ends its session. */
export function Devices() {
  const { session, toasts } = useShell();
  const t = useT();
  const [devices, setDevices] = useState<Device[] | null>(null);
  const [failure, setFailure] = useState<ServiceError | null>(null);
  const load = useCallback(() => {
    setFailure(null);
    session
      ?.withToken(async (service, token) => service.listDevices?.(token) ?? [])
      .then(setDevices, (error: unknown) => setFailure(toServiceError(error)));
  }, [session]);
  useEffect(load, [load]);
  const end = async (device: Device) => {
    try {
      await session?.withToken(async (service, token) => service.endDevice?.(token, device.id));
      toasts.show({ kind: "success", title: t("account.ended") });
      setDevices((last) => last?.filter(({ id }) => id !== device.id) ?? null);
    } catch (error) {
      setFailure(toServiceError(error));
    }
  };
  return (
    <Card title={t("account.devices")}>
      <p class="muted small">{t("account.devicesText")}</p>
      {failure === null ? null : (
        <Notice
          kind="danger"
          title={t(devices === null ? "account.devicesFailed" : "account.failed")}
          code={supportCode(failure, t)}
          actions={
            <Button size="small" onClick={load}>
              {t("common.retry")}
            </Button>
          }
        />
      )}
      {devices === null ? (
        failure === null ? (
          <div class="devices" aria-busy="true">
            <Skeleton height={48} />
          </div>
        ) : null
      ) : (
        <ul class="devices">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} end={() => end(device)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function DeviceRow({ device, end }: { device: Device; end: () => Promise<void> }) {
  const { language } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const [busy, setBusy] = useState(false);
  const { browser, system } = readUserAgent(device.user_agent ?? "");
  const name =
    browser === null ? t("account.unknownDevice") : system === null ? browser : t("account.on", { browser, system });
  const used = new Date(device.last_refresh_at ?? device.created_at);
  const country = device.country === null ? null : countryName(device.country, code);
  return (
    <li>
      <Icon name="laptop" />
      <div>
        <div>{name}</div>
        <div class="muted tiny">
          {device.current ? (
            <strong>{t("account.thisDevice")}</strong>
          ) : (
            <time dateTime={used.toISOString()} title={used.toLocaleString(code)}>
              {t("account.lastUsed", { when: relativeTime(used.getTime(), Date.now(), code) })}
            </time>
          )}
          {country === null ? null : ` · ${country}`}
        </div>
      </div>
      {device.current ? null : (
        <Button
          size="small"
          busy={busy}
          aria-label={t("account.endDevice", { device: name })}
          onClick={() => {
            setBusy(true);
            void end().finally(() => setBusy(false));
          }}
        >
          {t("account.end")}
        </Button>
      )}
    </li>
  );
}

function countryName(country: string, language: string): string | null {
  try {
    return new Intl.DisplayNames(language, { type: "region" }).of(country) ?? null;
  } catch {
    return null;
  }
}

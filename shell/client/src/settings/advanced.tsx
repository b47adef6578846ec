import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Switch } from "../ui/field.tsx";
import { Card } from "../ui/surfaces.tsx";
import { removeWorker, startWorker } from "../worker/worker.ts";
import { clearLocalData } from "./local-data.ts";
import { Updates } from "./updates.tsx";

/** What concerns this browser only: version and updates, developer mode, the service worker, and a button that resets the shell. */
export function Advanced() {
  const { page, settings, session } = useShell();
  const t = useT();
  const { config, target } = useStore(page);
  const { developerMode = false, serviceWorker = true } = useStore(settings);
  const [isConfirming, setIsConfirming] = useState(false);
  const [busy, setBusy] = useState(false);
  const switchWorker = (on: boolean) => {
    settings.set((last) => ({ ...last, serviceWorker: on }));
    if ("serviceWorker" in navigator) void (on ? startWorker(() => undefined) : removeWorker());
  };
  const reset = async () => {
    setBusy(true);
    await Promise.resolve(session?.logout()).catch(() => undefined);
    await clearLocalData().catch(() => undefined);
    location.replace("/");
  };
  return (
    <>
      <Updates />
      <Card>
        <Switch
          label={t("advanced.developer")}
          help={t("advanced.developerText")}
          checked={developerMode}
          onChange={(on) => settings.set((last) => ({ ...last, developerMode: on }))}
        />
        {target === "web" && config.serviceWorker ? (
          <Switch
            label={t("advanced.worker")}
            help={t("advanced.workerText")}
            checked={serviceWorker}
            onChange={switchWorker}
          />
        ) : null}
      </Card>
      <Card title={t("advanced.reset")}>
        <p class="muted small">{t("advanced.resetText")}</p>
        <div>
          <Button variant="danger-outline" icon="trash" onClick={() => setIsConfirming(true)}>
            {t("advanced.resetButton")}
          </Button>
        </div>
      </Card>
      {isConfirming ? (
        <Dialog
          title={t("advanced.resetAsk")}
          description={t("advanced.resetText")}
          onClose={() => setIsConfirming(false)}
          actions={
            <>
              <Button onClick={() => setIsConfirming(false)}>{t("common.cancel")}</Button>
              <Button variant="danger" busy={busy} onClick={() => void reset()}>
                {t("advanced.resetButton")}
              </Button>
            </>
          }
        />
      ) : null}
    </>
  );
}

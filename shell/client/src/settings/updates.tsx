import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { shellTitle } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Card, Notice } from "../ui/surfaces.tsx";
import { checkForUpdate, installUpdate, workerState } from "../worker/worker.ts";

/** Shows the versions, and checks for and installs updates. */
export function Updates() {
  const { page } = useShell();
  const t = useT();
  const { config, version } = useStore(page);
  const state = useStore(workerState);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<"none" | "current" | "failed">("none");
  const check = async () => {
    setBusy(true);
    const hasUpdate = await checkForUpdate().catch(() => null);
    setBusy(false);
    setResult(hasUpdate === null ? "failed" : hasUpdate ? "none" : "current");
  };
  return (
    <Card>
      <dl class="facts">
        {config.version === undefined ? null : (
          <>
            <dt>{shellTitle(config.title)}</dt>
            <dd>{config.version}</dd>
          </>
        )}
        <dt>{t("updates.shell")}</dt>
        <dd>{version}</dd>
      </dl>
      {state === "waiting" ? (
        <Notice
          title={t("update.title")}
          actions={
            <Button variant="primary" onClick={installUpdate}>
              {t("update.install")}
            </Button>
          }
        >
          {t("update.text")}
        </Notice>
      ) : state === "active" || state === "none" || state === "unknown" ? (
        <div class="row">
          <Button icon="refresh-cw" busy={busy} disabled={state === "unknown"} onClick={() => void check()}>
            {t("updates.check")}
          </Button>
          <span class="muted small" role="status">
            {result === "current" ? t("updates.current") : result === "failed" ? t("updates.failed") : ""}
          </span>
        </div>
      ) : (
        <p class="muted small">{t("updates.reload")}</p>
      )}
    </Card>
  );
}

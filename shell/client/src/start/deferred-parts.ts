import { startReporting } from "../reporting/report.ts";
import type { Shell } from "../shell/shell.ts";
import { installUpdate, removeWorker, startWorker, workerState } from "../worker/worker.ts";

/** Starts error reporting and the service worker. */
export function startDeferredParts(shell: Shell): void {
  startReporting(shell);
  if (!("serviceWorker" in navigator)) {
    workerState.set("off");
    return;
  }
  const { config, target } = shell.page.get();
  const isEnabled = config.serviceWorker && target === "web" && shell.settings.get().serviceWorker !== false;
  if (isEnabled) void startWorker(() => offerUpdate(shell));
  else void removeWorker().catch(() => undefined);
}

/** Offers a waiting version in a toast. The version is installed when the user agrees. */
function offerUpdate({ toasts, language }: Shell) {
  const { t } = language.get();
  toasts.show({
    id: "update",
    title: t("update.title"),
    description: t("update.text"),
    action: { label: t("update.install"), onSelect: installUpdate },
    cancel: { label: t("update.later"), onSelect: () => undefined },
  });
}

import { startReporting } from "../reporting/report.ts";
import { matchRoute } from "../router/routes.ts";
import type { Shell } from "../shell/shell.ts";
import { installUpdate, postponeUpdate, removeWorker, startWorker, workerState } from "../worker/worker.ts";

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

/**
 * Offers a waiting version in a toast. The version is installed when the user agrees. The page of the updates offers it itself, so
 * the toast is absent there.
 */
function offerUpdate({ toasts, language, router, page }: Shell) {
  const isOnUpdates = () => {
    const route = matchRoute(page.get().config, router.get().pathname);
    return route.view === "settings" && ["advanced", "updates"].includes(route.rest);
  };
  if (isOnUpdates()) return;
  const { t } = language.get();
  const unsubscribe = router.subscribe(() => {
    if (isOnUpdates()) toasts.dismiss("update");
  });
  const postpone = () => {
    unsubscribe();
    postponeUpdate();
  };
  toasts.show({
    id: "update",
    title: t("update.title"),
    description: t("update.text"),
    action: { label: t("update.install"), onSelect: installUpdate },
    cancel: { label: t("update.later"), onSelect: postpone },
    onClear: postpone,
  });
}

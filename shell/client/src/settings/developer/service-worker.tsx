import { useEffect, useState } from "react";
import type { MessageKey } from "../../i18n/translate.ts";
import { useT } from "../../i18n/use-t.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { removeWorker, workerState } from "../../worker/worker.ts";

type CacheFact = { name: string; count: number };

/** Shows the state of the service worker and its caches. */
export function ServiceWorker() {
  const t = useT();
  const state = useStore(workerState);
  const [facts, setFacts] = useState<CacheFact[]>([]);
  useEffect(() => {
    const read = async () => {
      const names = "caches" in window ? await caches.keys() : [];
      return Promise.all(names.map(async (name) => ({ name, count: (await (await caches.open(name)).keys()).length })));
    };
    read().then(setFacts, () => setFacts([]));
  }, [state]);
  return (
    <Card title={t("settings.worker")}>
      <dl class="facts">
        <dt>{t("worker.state")}</dt>
        <dd>{t(`worker.${state}` as MessageKey)}</dd>
        {facts.map(({ name, count }) => [
          <dt key={`${name}-name`} class="mono">
            {name}
          </dt>,
          <dd key={`${name}-count`}>{t("worker.files", { count })}</dd>,
        ])}
      </dl>
      <div>
        <Button disabled={!["none", "active", "waiting"].includes(state)} onClick={() => void removeWorker()}>
          {t("worker.unregister")}
        </Button>
      </div>
    </Card>
  );
}

import { useEffect } from "react";
import { useT } from "../i18n/use-t.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Blank } from "../ui/surfaces.tsx";
import type { Frame } from "./frame.ts";

/** Stands over a frame until there is something to see, and in its place when nothing comes. */
export function FrameCover({ frame, retry }: { frame: Frame; retry: () => void }) {
  const t = useT();
  const phase = useStore(frame.phase);
  useEffect(() => {
    if (phase !== "failed") return undefined;
    addEventListener("online", retry, { once: true });
    return () => removeEventListener("online", retry);
  }, [phase, retry]);
  if (phase === "shown") return null;
  if (phase === "loading") return <div class="frame-cover" aria-hidden="true" />;
  const offline = !navigator.onLine;
  return (
    <div class="frame-cover" role="alert">
      <Blank
        icon={offline ? "wifi-off" : "circle-alert"}
        title={t(offline ? "frame.offline" : "frame.failed", { name: frame.label })}
        level="h2"
        actions={
          <>
            <Button icon="refresh-cw" onClick={retry}>
              {t("common.retry")}
            </Button>
            <a class="button quiet" href={frame.address} target="_blank" rel="noopener noreferrer">
              <span>{t("common.openTab")}</span>
              <Icon name="arrow-up-right" />
            </a>
          </>
        }
      >
        {t(offline ? "frame.offlineText" : "frame.failedText")}
      </Blank>
    </div>
  );
}

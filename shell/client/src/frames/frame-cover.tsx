import { useEffect } from "react";
import { useT } from "../i18n/use-t.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Blank } from "../ui/surfaces.tsx";
import type { Frame } from "./frame.ts";
import { isReachable } from "./reach.ts";

/** Delays in ms before an unreachable origin is probed again; the last one repeats. */
const PROBE_DELAYS = [2_000, 4_000, 8_000, 16_000, 30_000];

/** Covers a frame until it has content. Shows an error instead when loading fails. */
export function FrameCover({ frame, retry }: { frame: Frame; retry: () => void }) {
  const t = useT();
  const phase = useStore(frame.phase);
  const isLoadingSlowly = useStore(frame.isLoadingSlowly);
  useEffect(() => {
    if (phase !== "failed" && phase !== "unreachable") return undefined;
    addEventListener("online", retry, { once: true });
    const stopProbes = phase === "unreachable" ? whenReachable(frame.origin, retry) : undefined;
    return () => {
      removeEventListener("online", retry);
      stopProbes?.();
    };
    // `retry` is not a dependency. Each render passes a new function that does the same, and a dependency would restart the
    // timers.
  }, [phase, frame]);
  if (phase === "shown")
    return isLoadingSlowly ? <div class="frame-slow" role="progressbar" aria-label={t("common.loading")} /> : null;
  if (phase === "loading") return <div class="frame-cover" aria-hidden="true" />;
  const reason = !navigator.onLine ? "offline" : phase;
  return (
    <div class="frame-cover" role="alert">
      <Blank
        icon={reason === "offline" ? "wifi-off" : "circle-alert"}
        title={t(`frame.${reason}`, { name: frame.label })}
        level="h2"
        code={reason === "unreachable" ? frame.origin : undefined}
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
        {t(`frame.${reason}Text`)}
      </Blank>
    </div>
  );
}

/**
 * Probes an origin while the page is visible, and calls `onReachable` when the origin responds. Returns a function that stops
 * the probes.
 */
function whenReachable(origin: string, onReachable: () => void): () => void {
  let isActive = true;
  let timer: ReturnType<typeof setTimeout>;
  const schedule = (attempt: number) => {
    timer = setTimeout(() => void check(attempt + 1), PROBE_DELAYS[attempt] ?? PROBE_DELAYS.at(-1));
  };
  const check = async (attempt: number) => {
    const hasResponded = document.visibilityState === "visible" && (await isReachable(origin));
    if (!isActive) return;
    if (hasResponded) onReachable();
    else schedule(attempt);
  };
  schedule(0);
  return () => {
    isActive = false;
    clearTimeout(timer);
  };
}

import { useCallback, useEffect, useState } from "react";
import type { LiveSettings } from "../session/adapters/adapter.ts";
import { asRefusal, type Refusal } from "../session/refusal.ts";
import { useShell } from "../shell/context.ts";

export type Live =
  | { kind: "loading" }
  | { kind: "ready"; settings: LiveSettings }
  | { kind: "failed"; refusal: Refusal };

/** Wait before another attempt, ms. */
const RETRY = 5_000;

/** How people can sign in now. What fails is tried again by itself; `reload` asks anew. */
export function useLiveSettings(): [Live, () => void] {
  const { session } = useShell();
  const [live, setLive] = useState<Live>({ kind: "loading" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (session === null) return undefined;
    let wanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => setAttempt((last) => last + 1);
    session.liveSettings({ fresh: attempt > 0 }).then(
      (settings) => wanted && setLive({ kind: "ready", settings }),
      (error: unknown) => {
        const refusal = asRefusal(error);
        if (!wanted) return;
        setLive({ kind: "failed", refusal });
        if (refusal.code !== "no_company") timer = setTimeout(again, (refusal.retryAfter ?? 0) * 1000 || RETRY);
      },
    );
    addEventListener("online", again);
    return () => {
      wanted = false;
      clearTimeout(timer);
      removeEventListener("online", again);
    };
  }, [session, attempt]);
  return [live, useCallback(() => setAttempt((last) => last + 1), [])];
}

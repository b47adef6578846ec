import { useCallback, useEffect, useState } from "react";
import type { LiveSettings } from "../session/adapters/adapter.ts";
import { type ServiceError, toServiceError } from "../session/service-error.ts";
import { useShell } from "../shell/context.ts";

export type Live =
  | { kind: "loading" }
  | { kind: "ready"; settings: LiveSettings }
  | { kind: "failed"; error: ServiceError };

/** Delay before a retry, ms. */
const RETRY_DELAY = 5_000;

/**
 * Returns the available sign-in methods and a reload function. Failed requests are retried, unless no company is configured.
 */
export function useLiveSettings(): [Live, () => void] {
  const { session } = useShell();
  const [live, setLive] = useState<Live>({ kind: "loading" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (session === null) return undefined;
    let isMounted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const retry = () => setAttempt((last) => last + 1);
    session.liveSettings({ fresh: attempt > 0 }).then(
      (settings) => isMounted && setLive({ kind: "ready", settings }),
      (error: unknown) => {
        const failure = toServiceError(error);
        if (!isMounted) return;
        setLive({ kind: "failed", error: failure });
        if (failure.code !== "no_company") timer = setTimeout(retry, (failure.retryAfter ?? 0) * 1000 || RETRY_DELAY);
      },
    );
    addEventListener("online", retry);
    return () => {
      isMounted = false;
      clearTimeout(timer);
      removeEventListener("online", retry);
    };
  }, [session, attempt]);
  return [live, useCallback(() => setAttempt((last) => last + 1), [])];
}

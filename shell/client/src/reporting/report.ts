import { isAccepted } from "../consent/consent.ts";
import { matchRoute } from "../router/routes.ts";
import type { Shell } from "../shell/shell.ts";
import { emit } from "./events.ts";
import { anonymous, reportRequest } from "./report-request.ts";
import { warn } from "./warnings.ts";

/** Maximum number of reported errors per page, in case an error repeats endlessly. */
const MAX_REPORTS = 20;

/** Reports errors of this page in production, if the configuration and the user allow it. */
export function startReporting({ page, settings, consent, router }: Shell): void {
  const sent = new Set<string>();
  const report = (error: unknown) => {
    const { config, mode, version } = page.get();
    const message = anonymous(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    warn(message);
    emit("error");
    const { dsn, environment, release = config.version ?? version } = config.errorReporting ?? {};
    if (dsn === undefined || mode !== "production" || settings.get().errorReporting === false) return;
    if (!isAccepted(config, consent.get(), new URL(dsn).hostname) || sent.size >= MAX_REPORTS || sent.has(message))
      return;
    sent.add(message);
    const { view, base } = matchRoute(config, router.get().pathname);
    const stack = error instanceof Error ? anonymous(error.stack ?? "") : "";
    const browser = navigator.userAgent;
    const route = view === "not-found" ? view : `/${base}`;
    const request = reportRequest(dsn, {
      message,
      stack,
      release,
      route,
      browser,
      ...(environment && { environment }),
    });
    void fetch(request.url, {
      method: "POST",
      body: request.body,
      credentials: "omit",
      keepalive: true,
      referrerPolicy: "no-referrer",
    }).catch(() => undefined);
  };
  addEventListener("error", ({ error, message }) => report(error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => report(reason));
}

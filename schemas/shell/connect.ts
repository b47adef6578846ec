import type { PageConfig, PageData } from "./page.ts";

type Page = Pick<PageData, "config" | "mode">;

/** Returns the URLs whose origins a shell may call besides its own origin: services, error reporting and `connectOrigins`. */
export const connectUrls = ({ backend, storage, errorReporting, security }: PageConfig): string[] =>
  [backend?.url, storage?.url, errorReporting?.dsn, ...security.connectOrigins].filter((url) => url !== undefined);

/** Returns the sources that a development server adds to its content security policy for local applications on any port. */
export const localSources = ({ config, mode }: Page): string[] =>
  mode === "development" && !config.security.strictFrames ? ["http://localhost:*", "http://127.0.0.1:*"] : [];

/** Returns whether the content security policy of a page at `shellOrigin` lets the shell send requests to an origin. */
export function canConnect(page: Page, origin: string, shellOrigin: string): boolean {
  if (origin === shellOrigin) return true;
  const allowedUrls = connectUrls(page.config).filter((url) => URL.canParse(url));
  if (allowedUrls.some((url) => new URL(url).origin === origin)) return true;
  return localSources(page).length > 0 && /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
}

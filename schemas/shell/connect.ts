import type { PageConfig, PageData } from "./page.ts";

type Page = Pick<PageData, "config" | "mode">;

/** URLs whose origins a shell may call besides its own: services, error reporting, and additions of the configuration. */
export const connectUrls = ({ backend, storage, errorReporting, security }: PageConfig): string[] =>
  [backend?.url, storage?.url, errorReporting?.dsn, ...security.connectOrigins].filter((url) => url !== undefined);

/** Sources by which the policy of a development server names applications of this machine, whatever their port. */
export const localSources = ({ config, mode }: Page): string[] =>
  mode === "development" && !config.security.strictFrames ? ["http://localhost:*", "http://127.0.0.1:*"] : [];

/** Whether the content policy of a page at `shellOrigin` lets the shell ask an origin. */
export function mayConnect(page: Page, origin: string, shellOrigin: string): boolean {
  if (origin === shellOrigin) return true;
  const known = connectUrls(page.config).filter((url) => URL.canParse(url));
  if (known.some((url) => new URL(url).origin === origin)) return true;
  return localSources(page).length > 0 && /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
}

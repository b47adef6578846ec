import { type App, type HostingApi, HostingError } from "./api.ts";
import { CommandFailure, type HostedProject } from "./project.ts";

type Page<Row> = { results: Row[]; next_cursor: string | null };

const PAGE_SIZE = 100;

/** Returns all rows of a list. */
export async function listAll<Row>(api: HostingApi, path: string, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query: string = new URLSearchParams({
      page_size: String(Math.min(PAGE_SIZE, limit)),
      ...(cursor !== null && { cursor }),
    }).toString();
    const page: Page<Row> = await api.get(`${path}?${query}`);
    rows.push(...page.results);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < limit);
  return rows;
}

export const listApps = (api: HostingApi): Promise<App[]> => listAll<App>(api, "apps");

/** Returns the app of the configuration. Throws a CommandFailure if it was never deployed. */
export async function findApp({ api, appName }: HostedProject): Promise<App> {
  const app = (await listApps(api)).find(({ name }) => name === appName);
  if (app === undefined)
    throw new CommandFailure(`app-not-found: There is no app "${appName}" yet. \`platform deploy\` creates it.`);
  return app;
}

/** Returns the app of the configuration, and creates it if it does not exist. */
export async function findOrCreateApp({ api, appName, config }: HostedProject): Promise<App> {
  const existing = (await listApps(api)).find(({ name }) => name === appName);
  if (existing !== undefined) return existing;
  try {
    return await api.post<App>("apps", { name: appName, display_name: config.page.title ?? appName });
  } catch (error) {
    // Another deployment created it at the same time, or an earlier try of this call did.
    const created =
      error instanceof HostingError && error.code === "app_name_taken"
        ? (await listApps(api)).find(({ name }) => name === appName)
        : undefined;
    if (created === undefined) throw error;
    return created;
  }
}

/** Returns the display name by which later deployments find a preview. */
export function previewTitle(appName: string, name: string | undefined): string {
  const words = (name ?? "").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${appName} preview ${words}`.trim().slice(0, 100);
}

type Versions = { app_version: string; shell_version: string };

/**
 * Returns the preview with this title that belongs to the user, renewed, or a new one. Previews of other users are left alone.
 */
export async function openPreview({ api }: HostedProject, title: string, versions: Versions): Promise<App> {
  const previews = (await listApps(api)).filter(
    ({ display_name, expires_at }) =>
      display_name === title && expires_at !== null && Date.parse(expires_at) > Date.now(),
  );
  for (const { slug } of previews) {
    try {
      return (await api.post<{ app: App }>("preview", { slug, ...versions })).app;
    } catch (error) {
      const isOther = error instanceof HostingError && /^preview_(?:forbidden|not_found|expired)$/.test(error.code);
      if (!isOther) throw error;
    }
  }
  return (await api.post<{ app: App }>("preview", { display_name: title, ...versions })).app;
}

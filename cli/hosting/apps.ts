import { type App, type Deployment, type HostingApi, HostingError, type MissingFiles } from "./api.ts";
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

/** Returns the app of the configuration, or undefined if it was never deployed. */
export async function findApp({ api, appName }: HostedProject): Promise<App | undefined> {
  try {
    return await api.get<App>(`apps/${appName}`);
  } catch (error) {
    if (error instanceof HostingError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Returns the app of the configuration. Throws a CommandFailure if it was never deployed. */
export async function requireApp(project: HostedProject): Promise<App> {
  const app = await findApp(project);
  if (app !== undefined) return app;
  throw new CommandFailure(`app-not-found: There is no app "${project.appName}" yet. \`platform deploy\` creates it.`);
}

/** Returns the app of the configuration, and creates it if it does not exist. */
export async function findOrCreateApp(project: HostedProject): Promise<App> {
  const { api, appName, config } = project;
  const existing = await findApp(project);
  if (existing !== undefined) return existing;
  try {
    return await api.post<App>("apps", { name: appName, display_name: config.page.title ?? appName });
  } catch (error) {
    // Another deployment created it at the same time, or an earlier try of this call did.
    const isTaken = error instanceof HostingError && error.code === "app_name_taken";
    const created = isTaken ? await findApp(project) : undefined;
    if (created === undefined) throw error;
    return created;
  }
}

/** Returns the display name by which later deployments find a preview. */
export function previewTitle(appName: string, name: string | undefined): string {
  const words = (name ?? "").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${appName} preview ${words}`.trim().slice(0, 100);
}

/** A new deployment of a preview. */
type Preview = { app: App; deployment: Deployment } & MissingFiles;

/**
 * Creates a deployment in the preview with this title that belongs to the user, or in a new preview. Leaves previews of other users
 * alone.
 */
export async function deployToPreview({ api }: HostedProject, title: string, deployment: object): Promise<Preview> {
  const previews = (await listAll<App>(api, "apps")).filter(
    ({ display_name, expires_at }) =>
      display_name === title && expires_at !== null && Date.parse(expires_at) > Date.now(),
  );
  for (const { slug } of previews) {
    try {
      return await api.post<Preview>("preview", { slug, ...deployment });
    } catch (error) {
      const isOther = error instanceof HostingError && /^preview_(?:forbidden|not_found|expired)$/.test(error.code);
      if (!isOther) throw error;
    }
  }
  return await api.post<Preview>("preview", { display_name: title, ...deployment });
}

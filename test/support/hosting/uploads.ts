import { eq } from "drizzle-orm";
import { hosting_deployments } from "../../../db/hosting/schema";
import type { PublicDeployment } from "../../../schemas/hosting/deployment";
import { runImport } from "../../../workers/hosting/archives/import";
import type { HostingServices } from "../../../workers/hosting/services";
import { readRows } from "../webhooks/rows";
import { startApps } from "./apps";
import { archiveOf } from "./archives";
import { createServices } from "./steps";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Vars = Parameters<typeof startApps>[0];

/** A queue that keeps the messages, so that a test runs the steps itself. */
export const heldQueue = () => ({ sendBatch: async () => ({}) }) as never;

/** Starts hosting with a new company that deploys archives. The queue keeps its messages; `importAll` runs the steps. */
export async function startArchives(vars: Vars = {}) {
  const apps = await startApps({ SERVICE_QUEUE: heldQueue(), HOSTING_UPLOAD_RATE_LIMIT: "1000/min", ...vars });
  const { call, companyId, send } = apps;
  const { services, requested } = createServices();

  const createDraft = (app: string, fields: Record<string, unknown> = {}) =>
    send<PublicDeployment>(`apps/${app}/deployments`, { app_version: "1.0.0", ...fields }, 201);

  const upload = (app: string, id: string, body: BodyInit, headers: Record<string, string> = {}) =>
    call(`apps/${app}/deployments/${id}/upload`, { method: "PUT", body, headers });

  const finalize = (app: string, id: string, query = "") =>
    call(`apps/${app}/deployments/${id}/finalize${query}`, { method: "POST" });

  const find = async (app: string, id: string) =>
    (await (await call(`apps/${app}/deployments/${id}`)).json()) as PublicDeployment;

  const rowOf = async (id: string) => {
    const [row] = await readRows(hosting_deployments, eq(hosting_deployments.id, id));
    if (row === undefined) throw new Error(`no deployment ${id}`);
    return row;
  };

  /** Runs the steps of an import until it waits or has ended. Returns their number. */
  const importAll = async (id: string, built: HostingServices = services) => {
    for (let steps = 0; ; steps++) if (!(await runImport(built, { id, company_id: companyId }))) return steps;
  };

  /** Creates a deployment, uploads the archive and starts its import. Returns the id. */
  const start = async (app: string, archive: Uint8Array, fields: Record<string, unknown> = {}) => {
    const { id } = await createDraft(app, fields);
    const uploaded = await upload(app, id, archive as BodyInit);
    if (uploaded.status !== 200) throw new Error(`upload: ${uploaded.status} ${await uploaded.text()}`);
    const finalized = await finalize(app, id);
    if (finalized.status !== 202) throw new Error(`finalize: ${finalized.status} ${await finalized.text()}`);
    return id;
  };

  /** Deploys files as an archive. Returns the deployment. */
  const deployArchive = async (app: string, files: Files, fields: Record<string, unknown> = {}) => {
    const id = await start(app, await archiveOf(files), fields);
    await importAll(id);
    return find(app, id);
  };

  return {
    ...apps,
    services,
    requested,
    createDraft,
    upload,
    finalize,
    find,
    rowOf,
    importAll,
    start,
    deployArchive,
  };
}

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "./project.ts";

type File = { sha256: string; size: number; type?: string };
type Deployment = Record<string, unknown> & { id: string; status: string; manifest: Record<string, File> };
type App = Record<string, unknown> & { id: string; slug: string; name: string; expires_at: string | null };
type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

const refuse = (status: number, error_code: string, extra: object = {}): Reply => ({
  status,
  body: { error_code, message: `Text of ${error_code}.`, request_id: "r-1", ...extra },
});

/**
 * Starts a double of the hosting API in this process: apps, deployments by manifest, blobs, rollbacks and access requests of one
 * company. The first uploads wait until `uploadsTogether` of them run. `calls` has the method and path of each request, `fail` answers the next requests that match.
 */
export async function startHosting({ onTestFinished }: Cleanup) {
  const apps: App[] = [];
  const deployments = new Map<string, Deployment[]>();
  const blobs = new Map<string, Buffer>();
  const calls: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const tokens = new Set<string | undefined>();
  const failures: { pattern: RegExp; times: number; reply: Reply | "cut" }[] = [];
  const state = { isDenied: false, requests: 0, uploads: 0, uploadsAtOnce: 0, uploadMs: 0, uploadsTogether: 0 };
  let releaseUploads = () => {};
  const uploadsReleased = new Promise<void>((done) => {
    releaseUploads = done;
  });

  const urlsOf = (app: App, id?: string) => ({
    url: `http://${app.slug}.localhost/`,
    ...(id && { deployment_url: `http://${app.slug}--${id.slice(0, 8)}.localhost/` }),
  });
  const shown = (app: App) => ({ ...app, ...(app.current_deployment_id !== null && { urls: urlsOf(app) }) });
  const createApp = (fields: Partial<App>): App => {
    const slug = `s${randomUUID().slice(0, 11)}`;
    const app = { id: randomUUID(), slug, name: "", display_name: "", expires_at: null, ...fields };
    const created = { current_deployment_id: null, created_at: new Date().toISOString(), ...app };
    apps.push(created);
    deployments.set(created.id, []);
    return created;
  };
  const missingOf = (manifest: Record<string, File>) => {
    const sizes = new Map(Object.values(manifest).map(({ sha256, size }) => [sha256, size]));
    const missing = [...sizes.keys()].filter((hash) => !blobs.has(hash));
    return { missing, bytes_missing: missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0), fits: true };
  };
  const createDeployment = (app: App, body: Record<string, unknown>): Reply => {
    const manifest = (body.manifest ?? {}) as Record<string, File>;
    const missing = missingOf(manifest);
    if (body.dry_run === true) return { status: 200, body: missing };
    const deployment = {
      ...body,
      id: randomUUID(),
      status: "draft",
      manifest,
      message: body.message ?? "",
      pinned: false,
      deployed_by_id: 7,
      file_count: Object.keys(manifest).length,
      bytes_new: missing.bytes_missing,
      warnings: [],
      created_at: new Date().toISOString(),
      finalized_at: null,
    };
    deployments.get(app.id)?.unshift(deployment);
    return { status: 201, body: { ...deployment, ...missing } };
  };
  const goLive = (app: App, deployment: Deployment): Reply => {
    for (const other of deployments.get(app.id) ?? []) if (other.status === "active") other.status = "superseded";
    deployment.status = "active";
    deployment.finalized_at ??= new Date().toISOString();
    app.current_deployment_id = deployment.id;
    return { status: 200, body: { ...deployment, urls: urlsOf(app, deployment.id) } };
  };

  function respond(method: string, path: string, body: Record<string, unknown>, bytes: Buffer): Reply {
    if (state.isDenied && method !== "GET" && !path.startsWith("access")) return refuse(403, "hosting_access_denied");
    if (path === "access/request") {
      state.requests += 1;
      return { status: 201, body: { status: "pending" } };
    }
    if (path === "apps" && method === "GET")
      return { status: 200, body: { results: apps.map(shown), next_cursor: null } };
    if (path === "apps") {
      if (apps.some(({ name }) => name === body.name)) return refuse(409, "app_name_taken");
      return { status: 201, body: createApp(body) };
    }
    if (path === "preview") {
      const app =
        body.slug === undefined
          ? createApp({ ...body, name: `preview-${apps.length}`, expires_at: new Date(Date.now() + 1e8).toISOString() })
          : apps.find(({ slug }) => slug === body.slug);
      if (app === undefined) return refuse(404, "preview_not_found");
      const { missing, bytes_missing, fits, ...deployment } = createDeployment(app, body).body as Record<
        string,
        unknown
      >;
      return { status: 201, body: { app, deployment, missing, bytes_missing, fits } };
    }
    const [, appId, kind, id, action] = path.split("/");
    const app = apps.find(({ id: own, name, slug }) => [own, name, slug].includes(appId ?? ""));
    if (app === undefined) return refuse(404, "not_found");
    if (kind === undefined) return { status: 200, body: shown(app) };
    if (kind === "blobs" && id !== undefined) {
      if (createHash("sha256").update(bytes).digest("hex") !== id) return refuse(400, "blob_hash_mismatch");
      const isNew = !blobs.has(id);
      blobs.set(id, bytes);
      return { status: isNew ? 201 : 200, body: {} };
    }
    const rows = deployments.get(app.id) ?? [];
    if (id === undefined)
      return method === "POST"
        ? createDeployment(app, body)
        : { status: 200, body: { results: rows, next_cursor: null } };
    const deployment = rows.find((row) => row.id === id);
    if (deployment === undefined) return refuse(404, "not_found");
    if (action === undefined) return { status: 200, body: deployment };
    if (action === "visit")
      return { status: 200, body: { url: `http://${app.slug}.localhost/visit-${deployment.id}` } };
    if (deployment.status === "active") return refuse(409, "invalid_deployment_status");
    const { missing } = missingOf(deployment.manifest);
    return missing.length > 0 ? refuse(409, "blobs_missing", { missing }) : goLive(app, deployment);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", "http://x");
    const path = pathname.replace("/hosting/v1/", "");
    const method = request.method ?? "";
    const call = `${method} ${path}`;
    calls.push(call);
    tokens.add(request.headers.authorization);
    const isUpload = method === "PUT";
    if (isUpload) state.uploads += 1;
    state.uploadsAtOnce = Math.max(state.uploadsAtOnce, state.uploads);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (state.uploads >= state.uploadsTogether) releaseUploads();
    if (isUpload) await uploadsReleased;
    if (isUpload) await new Promise((resume) => setTimeout(resume, state.uploadMs));
    if (isUpload) state.uploads -= 1;
    const failure = failures.find(({ pattern, times }) => times > 0 && pattern.test(call));
    if (failure !== undefined) failure.times -= 1;
    if (failure?.reply === "cut") return void request.socket.destroy();
    const isLengthMissing = isUpload && request.headers["content-length"] === undefined;
    const body = isUpload || bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
    bodies.push(body);
    const reply = isLengthMissing
      ? refuse(411, "length_required")
      : (failure?.reply ?? respond(method, path, body, bytes));
    response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
    response.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
  }

  const server = createServer(
    (request, response) => void handle(request, response).catch(() => request.socket.destroy()),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apps,
    deployments: (name: string) => deployments.get(apps.find((app) => app.name === name)?.id ?? "") ?? [],
    blobs,
    calls,
    bodies,
    tokens,
    state,
    /** answers the next `times` requests that match, such as `PUT`, with an error or by closing the connection */
    fail: (pattern: RegExp, reply: Reply | "cut", times = 1) => void failures.push({ pattern, reply, times }),
    refuse,
  };
}

import { requestIdPattern } from "../../../schemas/text/request-id";
import { uuid } from "../../kit/ids";
import { createLog, errorName } from "../../kit/log";
import { logOnce } from "../../kit/log-once";
import { DeploymentError, SettingError } from "../../kit/settings/settings";
import type { HostingBindings } from "../bindings";
import { parseAppHost } from "../live/host";
import { type LiveDeployment, lookUp } from "../live/lookup";
import { loadManifest } from "../live/manifests";
import { type HostingServices, services } from "../services";
import { isVisitor, startVisit, VISIT_PATH } from "../visits/visit";
import { appPage } from "./pages";
import { resolveUrl } from "./resolve";
import { respondWithFile, type ServedFile } from "./respond";

/** One request to the host of an app. */
type AppRequest = {
  services: HostingServices;
  request: Request;
  url: URL;
  live: LiveDeployment;
  isDeployment: boolean;
};

/**
 * Responds to a request to the host of an app, of a deployment, or of a company's domain. Every other host gets the platform's page for
 * unknown apps. Never throws: a failure is logged and responds with 503.
 */
export async function serveApps(request: Request, env: HostingBindings, ctx: ExecutionContext): Promise<Response> {
  const clientRequestId = request.headers.get("x-request-id") ?? "";
  const requestId = requestIdPattern.test(clientRequestId) ? clientRequestId : uuid();
  const log = createLog({ service: "hosting", request_id: requestId });
  let response: Response;
  try {
    const current = services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) });
    response = await respond(current, request);
  } catch (error) {
    if (error instanceof SettingError || error instanceof DeploymentError) {
      logOnce(env, error.message, () => log.error(error.message));
    } else log.error("app not served", { cause: errorName(error) });
    response = await appPage("unavailable", request, requestId);
  }
  response.headers.set("x-request-id", requestId);
  return response;
}

async function respond(current: HostingServices, request: Request): Promise<Response> {
  const { domain } = current.settings.apps;
  const { requestId } = current;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return appPage("method", request, requestId, { allow: "GET, HEAD" });
  }
  const url = new URL(request.url);
  const host = domain === null ? null : parseAppHost(url.hostname, domain);
  const live = host === null ? null : await lookUp(current, host);
  if (host === null || live === null) return appPage("unknown", request, requestId);
  const isDeployment = host.kind === "deployment";
  if (isDeployment && !live.public_deployments) {
    const rejection = await admitVisitor(current, request, url, live);
    if (rejection !== null) return rejection;
  }
  return serveDeployment({ services: current, request, url, live, isDeployment });
}

/** Opens a visit link or checks the visit. Returns null for a visitor, else the response. */
async function admitVisitor(
  current: HostingServices,
  request: Request,
  url: URL,
  live: LiveDeployment,
): Promise<Response | null> {
  if (url.pathname === VISIT_PATH) {
    const token = url.searchParams.get("token") ?? "";
    // A HEAD request, such as that of a link preview, must not use up the link.
    const cookie = request.method === "GET" ? await startVisit(current, live, token) : null;
    if (cookie === null) return appPage("visit_link", request, current.requestId, { "x-robots-tag": "noindex" });
    const headers = {
      location: "/",
      "set-cookie": cookie,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    };
    return new Response(null, { status: 303, headers });
  }
  return (await isVisitor(current, request, live)) ? null : appPage("visit", request, current.requestId);
}

async function serveDeployment(app: AppRequest): Promise<Response> {
  const { services: current, request, url, live } = app;
  const manifest = await loadManifest(current, { companyId: live.company_id, deploymentId: live.deployment_id });
  if (manifest === null) throw new Error("the manifest of a live deployment is missing");
  const resolution = resolveUrl(manifest, url);
  switch (resolution.kind) {
    case "file":
      return serveFile(app, { manifest, changedAt: live.finalized_at ?? 0, ...resolution });
    case "redirect":
      return redirect(resolution, app);
    case "missing_asset":
      return (await serveEarlierAsset(app, resolution.path)) ?? missingAsset(request);
    default:
      return appPage("missing", request, current.requestId);
  }
}

/** Serves a file of a manifest; `changedAt` (unix ms) is when its deployment went live. */
function serveFile(
  { services: current, request, live, isDeployment }: AppRequest,
  file: Pick<ServedFile, "manifest" | "path" | "file" | "status" | "changedAt">,
): Promise<Response> {
  return respondWithFile(current, request, {
    ...file,
    companyId: live.company_id,
    isDeployment,
    isPrivate: isDeployment && !live.public_deployments,
  });
}

/** Serves an asset that the live deployment lacks from the latest earlier one that has it, for tabs that are still open. */
async function serveEarlierAsset(app: AppRequest, path: string): Promise<Response | null> {
  const { services: current, live } = app;
  for (const { id: deploymentId, finalized_at: changedAt } of live.earlier) {
    const manifest = await loadManifest(current, { companyId: live.company_id, deploymentId });
    const file = manifest?.files.get(path);
    if (manifest && file) return serveFile(app, { manifest, path, file, status: 200, changedAt });
  }
  return null;
}

function redirect(
  { status, location }: { status: number; location: string },
  { live, isDeployment }: AppRequest,
): Response {
  const isPrivate = isDeployment && !live.public_deployments;
  return new Response(null, {
    status,
    headers: {
      location,
      "cache-control": isPrivate ? "private, no-store" : "public, max-age=0, must-revalidate",
      "x-content-type-options": "nosniff",
      ...(isDeployment ? { "x-robots-tag": "noindex" } : {}),
    },
  });
}

/** A missing script must be an error of the page that loads it, not a page. */
function missingAsset(request: Request): Response {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return new Response(request.method === "HEAD" ? null : "Not found\n", { status: 404, headers });
}

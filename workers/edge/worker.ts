import { requestIdPattern } from "../../schemas/text/request-id";
import { securityHeaders } from "../kit/http/headers";
import { uuid } from "../kit/ids";
import { createLog, errorName } from "../kit/log";
import type { VariablesOf } from "../kit/settings/settings";
import type { ConfiguredBindings } from "./configured-bindings";
import type { settingsTable } from "./settings";

/** A binding to a service. In workerd it also has `scheduled`, which workers-types does not declare. */
type Service = Fetcher & { scheduled(event: { cron: string; scheduledTime: number }): Promise<unknown> };
type EdgeBindings = VariablesOf<typeof settingsTable> & ConfiguredBindings;

const serviceNames = ["identity", "email", "hosting", "storage"] as const;

/** Returns a service by its name in host names and paths, or undefined. */
function serviceNamed(env: EdgeBindings, name: string): Service | undefined {
  const known = serviceNames.find((service) => service === name);
  return known && (env[known.toUpperCase() as Uppercase<typeof known>] as Service);
}

const listOf = (text: string | undefined): string[] => (text ?? "").split(",").map((item) => item.trim().toLowerCase());

/**
 * Returns the Worker that a URL belongs to. The host `{service}.{domain}` belongs to a service only for `localhost` and the domains in
 * SERVICE_DOMAINS, so that a customer's host such as `storage.customer.com` does not. On local hosts and the hosts in PATH_HOSTS, the
 * first segment of the path selects the service; null stands for the edge itself. The segment is removed, except from paths such as
 * `/hosting/v1/…` and `/storage/v1/…`. Every other host may belong to an app.
 */
function findWorker(url: URL, env: EdgeBindings): { worker: Fetcher; target: URL } | null {
  const hostname = url.hostname.replace(/\.$/, "");
  const [label = "", ...rest] = hostname.split(".");
  const isServiceDomain = ["localhost", ...listOf(env.SERVICE_DOMAINS)].includes(rest.join("."));
  const byHost = isServiceDomain ? serviceNamed(env, label) : undefined;
  if (byHost) return { worker: byHost, target: url };
  if (!isPathHost(hostname, env)) return { worker: env.APPS, target: url };
  const [, prefix = ""] = url.pathname.split("/", 2);
  const byPath = serviceNamed(env, prefix);
  if (!byPath) return null;
  const target = new URL(url);
  if (!url.pathname.startsWith(`/${prefix}/v1/`)) target.pathname = url.pathname.slice(prefix.length + 1) || "/";
  return { worker: byPath, target };
}

const isPathHost = (hostname: string, env: EdgeBindings): boolean =>
  ["localhost", "127.0.0.1", "[::1]", ...listOf(env.PATH_HOSTS)].includes(hostname);

/** Returns the edge's own response on hosts with the path form: a redirect from `/` to the shell if one is configured, else 404. */
function respondFromEdge(url: URL, env: EdgeBindings, requestId: string): Response {
  if (env.SHELL_URL && url.pathname === "/") {
    return new Response(null, { status: 302, headers: { location: env.SHELL_URL } });
  }
  return problem(404, "not_found", "There is no such resource.", requestId);
}

function problem(status: number, error_code: string, message: string, request_id: string): Response {
  return Response.json({ error_code, message, request_id }, { status });
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const clientRequestId = request.headers.get("x-request-id") ?? "";
    const requestId = requestIdPattern.test(clientRequestId) ? clientRequestId : uuid();
    const route = findWorker(url, env);
    let response: Response;
    if (route) {
      const forwarded = new Request(route.target, new Request(request, { redirect: "manual" }));
      forwarded.headers.set("x-request-id", requestId);
      response = await route.worker.fetch(forwarded).catch((error: unknown) => {
        createLog({ service: "edge", request_id: requestId }).error("service unreachable", { error: errorName(error) });
        return problem(
          503,
          "service_unavailable",
          "The service is temporarily unavailable. Try again later.",
          requestId,
        );
      });
    } else {
      response = respondFromEdge(url, env, requestId);
      securityHeaders(response.headers, env.DEBUG === "true");
    }
    const responseWithId = new Response(response.body, response);
    responseWithId.headers.set("x-request-id", requestId);
    return responseWithId;
  },

  /** For development: `npm start` calls this for all services that have the cron. The deployed edge has no Cron Trigger. */
  async scheduled({ cron, scheduledTime }, env) {
    const names = cron === "*/5 * * * *" ? (["email"] as const) : serviceNames;
    await Promise.all(names.map((name) => serviceNamed(env, name)?.scheduled({ cron, scheduledTime })));
  },
} satisfies ExportedHandler<EdgeBindings>;

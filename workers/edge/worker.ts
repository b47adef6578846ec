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

/** Returns the bound services by name. They are listed only in wrangler.toml. */
const services = (env: EdgeBindings) =>
  new Map(
    Object.entries(env).flatMap(([name, binding]): [string, Service][] =>
      typeof binding === "object" ? [[name.toLowerCase(), binding as Service]] : [],
    ),
  );

/**
 * Returns the service that a URL belongs to, or null. A host name such as `identity.<any domain>` takes precedence. On
 * local hosts and the hosts in PATH_HOSTS, the first segment of the path selects the service. The segment is removed,
 * except from paths such as `/hosting/v1/…` and `/storage/v1/…`.
 */
function findService(url: URL, env: EdgeBindings): { service: Service; target: URL } | null {
  const [label = "", ...domain] = url.hostname.split(".");
  const byHost = domain.length > 0 ? services(env).get(label) : undefined;
  if (byHost) return { service: byHost, target: url };
  const [, prefix = ""] = url.pathname.split("/", 2);
  const byPath = isPathHost(url, env) ? services(env).get(prefix) : undefined;
  if (!byPath) return null;
  const target = new URL(url);
  if (!url.pathname.startsWith(`/${prefix}/v1/`)) target.pathname = url.pathname.slice(prefix.length + 1) || "/";
  return { service: byPath, target };
}

function isPathHost(url: URL, env: EdgeBindings): boolean {
  return ["localhost", "127.0.0.1", "[::1]", ...(env.PATH_HOSTS ?? "").split(",")].includes(url.hostname);
}

/** Returns the edge's own response: a redirect from `/` to the shell if one is configured, otherwise 404. */
function respondFromEdge(url: URL, env: EdgeBindings, requestId: string): Response {
  if (env.SHELL_URL && url.pathname === "/" && isPathHost(url, env)) {
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
    const route = findService(url, env);
    let response: Response;
    if (route) {
      const forwarded = new Request(route.target, new Request(request, { redirect: "manual" }));
      forwarded.headers.set("x-request-id", requestId);
      response = await route.service.fetch(forwarded).catch((error: unknown) => {
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

  /** For development: `npm start` calls this for all services. The deployed edge has no Cron Trigger. */
  async scheduled({ cron, scheduledTime }, env) {
    await Promise.all([...services(env).values()].map((service) => service.scheduled({ cron, scheduledTime })));
  },
} satisfies ExportedHandler<EdgeBindings>;

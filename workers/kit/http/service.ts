import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import type { ErrorTable } from "../../../schemas/errors";
import { requestIdPattern } from "../../../schemas/text/request-id";
import { clock } from "../clock";
import { DatabaseError } from "../db/db";
import { recordLocation } from "../host";
import { uuid } from "../ids";
import { createLog, type Log, type LogFields } from "../log";
import { logOnce } from "../log-once";
import { Problem, presentProblem } from "../problem";
import { DeploymentError, SettingError } from "../settings/settings";
import { corsHeaders, securityHeaders } from "./headers";
import { isForm, mediaTypeOf } from "./request/form";
import { wantsHtml } from "./request/page-language";

/** The context of every handler. `services` is built once per request. */
export type ServiceEnv<Bindings extends object, Services> = {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    log: Log;
    services: Services;
    afterResponse: (() => Promise<unknown>)[];
    /** set by a route with `origins`: the origins that may read the response; empty: all, null: none */
    origins: readonly string[] | null | undefined;
  };
};

/** The settings that the HTTP layer reads. A warning in the job settings is logged once per isolate. */
export type HttpSettings = { debug: boolean; corsAllowedOrigins: string[]; jobs?: { warning: string | null } };

type ServiceOptions<Bindings extends object, Services> = {
  name: string;
  errors: ErrorTable;
  /** adds an English `message` to errors: true in identity, false in email */
  withMessage: boolean;
  /** errors under this path prefix repeat their status in the body, for clients of an older API */
  statusInErrors?: `/${string}/`;
  /** the code of an unexpected error: `internal_error`, or `request_failed` in email */
  faultCode: string;
  settings: (env: Bindings) => HttpSettings;
  services: (
    env: Bindings,
    request: {
      requestId: string;
      log: Log;
      waitUntil: (work: Promise<unknown>) => void;
      /** starts the work after the response is built, so that it does not delay the statements of the request */
      afterResponse: (work: () => Promise<unknown>) => void;
    },
  ) => Services;
  /** checks what every route needs in addition, such as keys imported from settings; throws a SettingError */
  ready?: (env: Bindings) => Promise<unknown>;
  /** returns the cost of a request for its log line: D1 round trips and rows, calls of rate limiters */
  cost: (services: Services) => LogFields;
  /** renders an error as a page for browsers that navigate or post a form; without it all errors are JSON */
  errorPage?: (request: Request, problem: Problem<string>, requestId: string) => Promise<Response>;
  /** returns an error in the form of a protocol, or null for the service's own form */
  errorResponse?: (request: Request, problem: Problem<string>, requestId: string) => Response | null;
  /** paths that respond even when a setting is wrong (health) */
  alwaysAvailablePaths: string[];
  /** false when the HTML that the service returns was stored by users and is not a page of the service */
  hasPages?: boolean;
  /** headers that scripts of other origins may send and read (CORS) */
  cors: { allow: string; expose: string };
};

/** Returns the origins whose scripts may call a path, for a preflight. Empty: all origins. Null: none. */
type OriginsOf<Services> = (services: Services, path: string, request: Request) => Promise<readonly string[] | null>;

type MountedRoute = {
  method: string;
  path: string;
  pattern: RegExp;
  hasHead: boolean;
  isPage: boolean;
  origins: OriginsOf<never> | null;
};

/** The input of a service's OpenAPI document, which the build generates. */
export type ApiDeclaration = Pick<ServiceOptions<object, unknown>, "name" | "errors" | "withMessage" | "faultCode"> & {
  routes: RouteDeclaration[];
  /** the routes of a standard protocol, which have a document of their own */
  protocolRoutes: RouteDeclaration[];
};

/** The declaration of an operation. `describe` builds the parts that only the document needs. */
export type RouteDeclaration = (
  | RouteConfig
  | (Omit<RouteConfig, "request" | "responses"> & { describe: () => Pick<RouteConfig, "request" | "responses"> })
) & { isPage?: boolean };

/** A Hono app with the middleware that all services share, and `route`, which mounts an operation and documents it. */
export type Service<E extends { Bindings: object; Variables: object }> = {
  app: HonoBase<E>;
  api: ApiDeclaration;
  /**
   * A path may end in `{name...}`, which matches the rest of the path including slashes. When several routes match, the
   * route that was mounted first handles the request.
   */
  route: (
    config: RouteDeclaration,
    handler: (c: Context<E>) => Response | Promise<Response>,
    /**
     * `hasHead: false`: the route accepts GET but not HEAD, for contracts that name only GET. `isPage`: browsers
     * navigate to the route, so scripts of other origins must not read its responses, including JSON errors.
     * `isProtocol`: the route belongs to a standard protocol, which has an OpenAPI document of its own. `origins`: the
     * row in the path decides which origins may call the route; its handler sets the variable `origins`.
     */
    options?: {
      hasHead?: boolean;
      isPage?: boolean;
      isProtocol?: boolean;
      origins?: OriginsOf<E["Variables"] extends { services: infer Services } ? Services : never>;
    },
  ) => void;
};

/**
 * Creates a service whose middleware runs in a fixed order: request id, settings check, services, security headers,
 * CORS, coded errors, 404 and 405. Paths may end in one trailing slash. Any error that is not a `Problem` is logged and
 * returned as `faultCode`; an unavailable database or an invalid setting is 503 `service_unavailable`.
 */
export function createService<Bindings extends object, Services>(
  options: ServiceOptions<Bindings, Services>,
): Service<ServiceEnv<Bindings, Services>> {
  type E = ServiceEnv<Bindings, Services>;
  const mounted: MountedRoute[] = [];
  const { name, errors, withMessage, faultCode } = options;
  const api: ApiDeclaration = { name, errors, withMessage, faultCode, routes: [], protocolRoutes: [] };
  // Hono would choose this router for these paths too, but only after it tried another router in the first request.
  const app = new HonoBase<E>({ getPath: pathWithoutTrailingSlash, router: new TrieRouter() });

  const prepareRequest: MiddlewareHandler<E> = async (c, next) => {
    const clientRequestId = c.req.header("x-request-id");
    const requestId = clientRequestId && requestIdPattern.test(clientRequestId) ? clientRequestId : uuid();
    c.set("requestId", requestId);
    c.set("log", createLog({ service: options.name, request_id: requestId }));
    recordLocation(c.req.raw);
    const { settings, hasDeploymentError } = readSettings(c);
    if (hasDeploymentError) throw new Problem("service_unavailable");
    const setServices = () => {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
      const afterResponse = (work: () => Promise<unknown>) => void c.get("afterResponse").push(work);
      c.set(
        "services",
        options.services(c.env, { requestId, log: c.get("log"), waitUntil, afterResponse: afterResponse }),
      );
    };
    const requestedMethod = c.req.header("access-control-request-method");
    if (c.req.method === "OPTIONS" && requestedMethod) {
      const originsOf = matchingRoute(requestedMethod, c.req.path)?.origins as OriginsOf<Services> | null | undefined;
      if (originsOf && settings) {
        setServices();
        c.set("origins", await originsOf(c.get("services"), c.req.path, c.req.raw));
      }
      c.res = new Response(null, { status: 204 });
    } else {
      if (settings) {
        setServices();
      } else if (!options.alwaysAvailablePaths.includes(c.req.path)) {
        throw new Problem("service_unavailable");
      }
      if (settings && options.ready && !options.alwaysAvailablePaths.includes(c.req.path)) await options.ready(c.env);
      await next();
    }
  };

  const addStandardHeaders = (c: Context<E>, response: Response): Response => {
    const { settings } = readSettings(c);
    const finished = new Response(response.body, response);
    finished.headers.set("x-request-id", c.get("requestId"));
    securityHeaders(finished.headers, settings?.debug ?? false);
    // Browsers navigate to pages and follow redirects after forms. Scripts of other origins must not read either.
    const isRedirect = [302, 303].includes(finished.status);
    const isHtml = (finished.headers.get("content-type") ?? "").startsWith("text/html");
    const isNavigation = isRedirect || (isHtml && options.hasPages !== false);
    if (!isNavigation && !isPageCall(c.req.raw, c.req.path)) {
      const origins = c.get("origins");
      const allowed = origins === undefined ? (settings?.corsAllowedOrigins ?? []) : origins;
      if (allowed !== null) corsHeaders(finished.headers, c.req.raw, allowed, options.cors);
    }
    return finished;
  };

  /**
   * Returns the settings, and logs their warning once per isolate. With `hasDeploymentError` the service rejects every
   * request, including health checks.
   */
  function readSettings(c: Context<E>): { settings?: HttpSettings; hasDeploymentError: boolean } {
    const log = c.get("log");
    try {
      const settings = options.settings(c.env);
      const warning = settings.jobs?.warning ?? null;
      if (warning !== null) logOnce(c.env, warning, () => log.warn(warning));
      return { settings, hasDeploymentError: false };
    } catch (error) {
      if (!(error instanceof SettingError || error instanceof DeploymentError)) throw error;
      logOnce(c.env, error.message, () => log.error(error.message));
      return { hasDeploymentError: error instanceof DeploymentError };
    }
  }

  app.use("*", async (c, next) => {
    const startedAt = clock.now();
    c.set("afterResponse", []);
    await next();
    c.res = addStandardHeaders(c, c.res);
    const services: Services | undefined = c.get("services");
    c.get("log").info("request", {
      method: c.req.method,
      route: routeOf(c.req.path),
      status: c.res.status,
      duration_ms: clock.now() - startedAt,
      ...(services === undefined ? {} : options.cost(services)),
    });
    for (const work of c.get("afterResponse")) c.executionCtx.waitUntil(work());
  });
  app.use("*", prepareRequest);

  app.onError((error, c) => {
    const { raw: request, path } = c.req;
    const problem = asProblem(error, faultCode);
    if (problem.code === faultCode || problem.code === "service_unavailable") {
      c.get("log").error("request failed", { code: problem.code, cause: describe(error) });
    }
    const wantsErrorPage = wantsHtml(request) && (isPageCall(request, path) || isForm(mediaTypeOf(request)));
    if (options.errorPage && wantsErrorPage) return options.errorPage(request, problem, c.get("requestId"));
    const protocolResponse = options.errorResponse?.(request, problem, c.get("requestId")) ?? null;
    if (protocolResponse !== null) return protocolResponse;
    const withStatus = options.statusInErrors !== undefined && path.startsWith(options.statusInErrors);
    const form = { withMessage, withStatus };
    const { status, body, headers } = presentProblem(problem, errors, c.get("requestId"), form);
    return Response.json(body, { status, headers });
  });

  app.notFound((c) => {
    throw routeProblem(c.req.path);
  });

  /** Returns 405 with the methods that the path allows; 404 for an unknown path. */
  function routeProblem(path: string): Problem {
    const matches = mounted.filter((candidate) => candidate.pattern.test(path));
    if (matches.length === 0) return new Problem("not_found");
    const methods = matches.flatMap(({ method, hasHead }) => (hasHead ? [method, "HEAD"] : [method]));
    return new Problem("method_not_allowed", { headers: { allow: [...new Set(methods)].sort().join(", ") } });
  }

  /** Returns whether a request is to a page. A preflight counts as the request that it asks about. */
  function isPageCall(request: Request, path: string): boolean {
    const requested =
      request.method === "OPTIONS" ? request.headers.get("access-control-request-method") : request.method;
    const method = requested === "HEAD" ? "GET" : requested;
    return mounted.some((candidate) => candidate.isPage && candidate.method === method && candidate.pattern.test(path));
  }

  const matchingRoute = (method: string, path: string): MountedRoute | undefined =>
    mounted.find((candidate) => candidate.method === method && candidate.pattern.test(path));

  /** Returns the template of a path, so that log lines contain no ids or tokens. */
  function routeOf(path: string): string {
    return mounted.find((candidate) => candidate.pattern.test(path))?.path ?? "";
  }

  return {
    app,
    api,
    route(declared, handler, routeOptions = {}) {
      const config = { ...declared, path: declared.path.replace("...}", "}") };
      const documented = routeOptions.isProtocol ? api.protocolRoutes : api.routes;
      documented.push(routeOptions.isPage ? { ...config, isPage: true } : config);
      const method = config.method.toUpperCase();
      const hasHead = method === "GET" && routeOptions.hasHead !== false;
      mounted.push({
        method,
        path: config.path,
        pattern: new RegExp(`^${declared.path.replace(/\{[^}]+\.{3}\}/g, ".+").replace(/\{[^}]+\}/g, "[^/]+")}$`),
        hasHead,
        isPage: routeOptions.isPage === true,
        origins: (routeOptions.origins as OriginsOf<never> | undefined) ?? null,
      });
      const template = declared.path.replace(/\{([^}]+)\.{3}\}/g, ":$1{.+}").replace(/\{([^}.]+)\}/g, ":$1");
      app.on(method, template, (c) => {
        // The router also passes HEAD requests to the handler of GET.
        if (c.req.raw.method === "HEAD" && !hasHead) throw routeProblem(c.req.path);
        return handler(c);
      });
    },
  };
}

function pathWithoutTrailingSlash(request: Request): string {
  const { pathname } = new URL(request.url);
  return pathname.length > 1 && pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
}

function asProblem(error: unknown, faultCode: string): Problem<string> {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseError || error instanceof SettingError || error instanceof DeploymentError)
    return new Problem("service_unavailable", { cause: error });
  return new Problem<string>(faultCode, { cause: error });
}

/**
 * Returns the class and message of an error for the log. Messages of our code and of the runtime contain no request
 * data.
 */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` <- ${error.cause.message}` : "";
  return error instanceof Error ? `${error.name}: ${error.message}${cause}`.slice(0, 500) : "non-error thrown";
}

import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import type { RouteDeclaration } from "../service";
import { describeRefusals, type Refusals, refusals } from "./responses";

/**
 * An operation as the document shows it: with a stable `operationId`, and with what every operation can answer besides
 * its own: a fault, and a service that cannot answer now.
 */
export function describeOperation(declared: RouteDeclaration, table: ErrorTable, faultCode: string): RouteConfig {
  const { isPage: isNavigated = false, ...route } = declared;
  const config = "describe" in route ? completed(route) : route;
  const isPage = isNavigated || hasForm(config);
  const { [refusals]: own, ...responses }: RouteConfig["responses"] & { [refusals]?: Refusals } = config.responses;
  return {
    ...config,
    operationId: config.operationId ?? operationIdOf(config.method, config.path),
    responses: {
      ...describeRefusals({ table, codes: [faultCode, "service_unavailable"] }, isPage),
      ...(own === undefined ? {} : describeRefusals(own, isPage)),
      ...responses,
    },
  };
}

function completed({ describe, ...known }: Extract<RouteDeclaration, { describe: unknown }>): RouteConfig {
  return { ...known, ...describe() };
}

/** Whether a form may be posted, which is answered by pages. */
function hasForm({ request }: RouteConfig): boolean {
  return request?.body?.content["application/x-www-form-urlencoded"] !== undefined;
}

/** `patch /api/v1/oauth-redirects/{id}` -> `patchOauthRedirectsById`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1\//, "")
    .replace(/\{([^}]+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

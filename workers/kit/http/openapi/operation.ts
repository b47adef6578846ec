import type { RouteConfig } from "@hono/zod-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import { problemResponses } from "./responses";

/**
 * An operation as the document shows it: with a stable `operationId`, and with what every operation can answer besides
 * its own: a fault, and a service that cannot answer now.
 */
export function describeOperation(config: RouteConfig, errors: ErrorTable, faultCode: string): RouteConfig {
  return {
    ...config,
    operationId: config.operationId ?? operationIdOf(config.method, config.path),
    responses: { ...problemResponses(errors, [faultCode, "service_unavailable"]), ...config.responses },
  };
}

/** `patch /api/v1/oauth-redirects/{id}` -> `patchOauthRedirectsById`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1\//, "")
    .replace(/\{([^}]+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

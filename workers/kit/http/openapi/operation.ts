import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import type { RouteDeclaration } from "../service";
import { describeRefusals, type Refusals, refusals } from "./responses";

/**
 * Returns an operation for the document, with a stable `operationId`. Adds the two errors that every operation can
 * return: an unexpected error and an unavailable service.
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

/** Returns whether the operation accepts a form, whose responses are pages. */
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

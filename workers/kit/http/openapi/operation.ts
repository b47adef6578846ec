import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import type { RouteDeclaration } from "../service";
import { describeRefusals, type Refusals, refusals } from "./responses";

/**
 * An operation as the document shows it: with a stable `operationId`, and with what every operation can answer besides
 * its own: a fault, and a service that cannot answer now.
 */
export function describeOperation(declared: RouteDeclaration, table: ErrorTable, faultCode: string): RouteConfig {
  const config = "describe" in declared ? completed(declared) : declared;
  const { [refusals]: own, ...responses }: RouteConfig["responses"] & { [refusals]?: Refusals } = config.responses;
  return {
    ...config,
    operationId: config.operationId ?? operationIdOf(config.method, config.path),
    responses: {
      ...describeRefusals({ table, codes: [faultCode, "service_unavailable"] }),
      ...(own === undefined ? {} : describeRefusals(own)),
      ...responses,
    },
  };
}

function completed({ describe, ...known }: Extract<RouteDeclaration, { describe: unknown }>): RouteConfig {
  return { ...known, ...describe() };
}

/** `patch /api/v1/oauth-redirects/{id}` -> `patchOauthRedirectsById`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1\//, "")
    .replace(/\{([^}]+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import type { RouteDeclaration } from "../service";
import { describeErrorCodes, type ErrorForm, errorCodes, type ResponseErrors } from "./responses";

/**
 * Returns an operation for the document, with a stable `operationId`. Adds the two errors that every operation can
 * return: an unexpected error and an unavailable service.
 */
export function describeOperation(
  declared: RouteDeclaration,
  { errors: table, faultCode, form }: { errors: ErrorTable; faultCode: string; form: ErrorForm },
): RouteConfig {
  const { isPage: isDeclaredPage = false, ...route } = declared;
  const config = "describe" in route ? withDescription(route) : route;
  const isPage = isDeclaredPage || hasForm(config);
  const { [errorCodes]: declaredErrors, ...responses }: RouteConfig["responses"] & { [errorCodes]?: ResponseErrors } =
    config.responses;
  // Routes with errors in another form return these two in that form, too.
  const always = { codes: [faultCode, "service_unavailable"], table };
  return {
    ...config,
    operationId: config.operationId ?? operationIdOf(config.method, config.path),
    responses: {
      ...describeErrorCodes({ ...declaredErrors, ...always }, form, isPage),
      ...(declaredErrors === undefined ? {} : describeErrorCodes(declaredErrors, form, isPage)),
      ...responses,
    },
  };
}

function withDescription({ describe, ...declaration }: Extract<RouteDeclaration, { describe: unknown }>): RouteConfig {
  return { ...declaration, ...describe() };
}

/** Returns whether the operation accepts a form, whose responses are pages. */
function hasForm({ request }: RouteConfig): boolean {
  return request?.body?.content["application/x-www-form-urlencoded"] !== undefined;
}

/** Returns the id of an operation: `patchOauthRedirectsById` for `patch /api/v1/oauth-redirects/{id}`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1\//, "")
    .replace(/\{([^}]+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

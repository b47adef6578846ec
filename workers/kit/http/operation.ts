import type { RouteConfig } from "@hono/zod-openapi";
import type { ErrorTable } from "../../../schemas/errors";
import { problemResponses } from "./openapi";

type Responses = RouteConfig["responses"];

/**
 * An operation as the document shows it: with a stable `operationId`, and with what every operation can answer besides
 * its own: a fault, and a service that cannot answer now.
 */
export function describeOperation(
  config: RouteConfig,
  service: { errors: ErrorTable; faultCode: string; withMessage: boolean },
): RouteConfig {
  const common = problemResponses(service.errors, [service.faultCode, "service_unavailable"]);
  const responses: Responses = { ...common, ...config.responses };
  return {
    ...config,
    operationId: config.operationId ?? operationIdOf(config.method, config.path),
    responses: service.withMessage ? responses : withoutMessages(responses),
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

/** The answers of a service whose errors carry no sentence for developers. */
function withoutMessages(responses: Responses): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const json = "content" in response ? response.content?.["application/json"] : undefined;
      if (Number(status) < 400 || json === undefined || !("examples" in json)) return [status, response];
      const examples = Object.entries(json.examples ?? {}).map(([name, example]) => [name, withoutMessage(example)]);
      const content = { "application/json": { ...json, examples: Object.fromEntries(examples) } };
      return [status, { ...response, content }];
    }),
  );
}

function withoutMessage<T extends object>(example: T): T {
  if (!("value" in example) || typeof example.value !== "object") return example;
  const { message: _, ...value } = { message: "", ...example.value };
  return { ...example, value };
}

import { healthSchema, version } from "../../../schemas/health";
import { jwksSchema } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { isDatabaseAnswering } from "../../kit/db/health";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { SettingError } from "../../kit/settings";
import type { IdentityContext, IdentityService } from "../http";
import { emailCaller } from "../mail/mail";
import type { IdentityServices } from "../services";
import { ping } from "./health.store";

/** Mounts the signing keys and the health answer (identity details 4.5, 18). */
export function mountService(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/.well-known/jwks.json",
      summary: "Public signing keys, the active one first",
      tags: ["Service"],
      responses: {
        200: jsonResponse(jwksSchema, "The key set"),
        ...problemResponses(identityErrors, ["service_unavailable"]),
      },
    },
    async (c) => {
      const { verifying } = await c.get("services").keys();
      const keys = verifying.map(({ kid, n, e }) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n, e }));
      return c.json({ keys }, 200, { "cache-control": "public, max-age=900" });
    },
  );
  service.route(
    {
      method: "get",
      path: "/api/v1/health",
      summary: "Whether the service works",
      tags: ["Service"],
      responses: {
        200: jsonResponse(healthSchema, "It works"),
        503: jsonResponse(healthSchema, "The database is away, a setting is wrong, or no mail can leave"),
      },
    },
    showHealth,
  );
}

async function showHealth(c: IdentityContext): Promise<Response> {
  const isHealthy = await isWorking(c);
  return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
}

/** Settings and keys are readable, mail can leave, the database answers. */
async function isWorking(c: IdentityContext): Promise<boolean> {
  // The frame leaves the services out when a setting is wrong.
  const services: IdentityServices | undefined = c.get("services");
  if (services === undefined || emailCaller(services) === null) return false;
  try {
    await services.keys();
  } catch (error) {
    services.log.error(error instanceof SettingError ? error.message : "keys cannot be read");
    return false;
  }
  return isDatabaseAnswering(services.db, ping, services.log);
}

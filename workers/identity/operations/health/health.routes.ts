import { healthSchema, version } from "../../../../schemas/health";
import { isDatabaseResponding } from "../../../kit/db/health";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { SettingError } from "../../../kit/settings/settings";
import type { IdentityContext, IdentityService } from "../../http";
import { emailCaller } from "../../mail/outbox/email-service";
import type { IdentityServices } from "../../services";
import { ping } from "./health.store";

/** Mounts the health endpoint. */
export function mountHealth(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/health",
      summary: "Check the health of the service",
      tags: ["Service"],
      responses: {
        200: jsonResponse(healthSchema, "The service is healthy"),
        503: jsonResponse(
          healthSchema,
          "The database is unavailable, a setting is invalid, or the email service is not configured",
        ),
      },
    },
    showHealth,
  );
}

async function showHealth(c: IdentityContext): Promise<Response> {
  const isHealthy = await isWorking(c);
  return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
}

/** Returns whether settings and keys are valid, the email service is configured, and the database responds. */
async function isWorking(c: IdentityContext): Promise<boolean> {
  // `services` is undefined when a setting is invalid.
  const services: IdentityServices | undefined = c.get("services");
  if (services === undefined || emailCaller(services) === null) return false;
  try {
    await services.keys();
  } catch (error) {
    services.log.error(error instanceof SettingError ? error.message : "keys cannot be read");
    return false;
  }
  return isDatabaseResponding(services.db, ping(), services.log);
}

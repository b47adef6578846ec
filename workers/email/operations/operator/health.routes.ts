import { healthSchema, version } from "../../../../schemas/health";
import { isDatabaseResponding } from "../../../kit/db/health";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { ping } from "./health.store";

/** `GET /api/v1/health`: public. It responds even when a required setting is invalid. */
export function mountHealth(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/health",
      tags: ["Health"],
      summary: "Check the health of the service",
      responses: {
        200: jsonResponse(healthSchema, "The settings are valid and the database responds"),
        503: jsonResponse(healthSchema, "A required setting is invalid, or the database did not respond within 2 s"),
      },
    },
    async (c) => {
      const isHealthy = await answersInTime(c);
      return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
    },
  );
}

async function answersInTime(c: EmailContext): Promise<boolean> {
  // With invalid settings, no services are created.
  const services: EmailServices | undefined = c.get("services");
  return services !== undefined && (await isDatabaseResponding(services.platformDb, ping(), services.log));
}

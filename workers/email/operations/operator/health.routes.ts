import { healthSchema, version } from "../../../../schemas/health";
import { isDatabaseAnswering } from "../../../kit/db/health";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { ping } from "./health.store";

/** `GET /api/v1/health`: public, also when a required setting is wrong. */
export function mountHealth(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/health",
      tags: ["Health"],
      summary: "Whether the service can work",
      responses: {
        200: jsonResponse(healthSchema, "Settings are complete and the database answers"),
        503: jsonResponse(healthSchema, "A required setting is wrong, or the database did not answer in 2 s"),
      },
    },
    async (c) => {
      const isHealthy = await answersInTime(c);
      return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
    },
  );
}

async function answersInTime(c: EmailContext): Promise<boolean> {
  // Without settings there are no services.
  const services: EmailServices | undefined = c.get("services");
  return services !== undefined && (await isDatabaseAnswering(services.platformDb, ping(), services.log));
}

import { healthSchema, version } from "../../../schemas/health";
import { isDatabaseAnswering } from "../../kit/db/health";
import { jsonResponse } from "../../kit/http/openapi/responses";
import type { HostingService } from "../http";
import { ping } from "./health.store";

/**
 * `GET /hosting/v1/health`, and the path that every service has: public. A setting that
 * cannot be read refuses it like any other request (section 1).
 */
export function mountHealth(service: HostingService): void {
  for (const path of ["/api/v1/health", "/hosting/v1/health"]) {
    service.route(
      {
        method: "get",
        path,
        tags: ["Service"],
        summary: "Whether the service works",
        responses: {
          200: jsonResponse(healthSchema, "It works"),
          503: jsonResponse(healthSchema, "The database did not answer in 2 s, or a table is missing"),
        },
      },
      async (c) => {
        const { db, log } = c.get("services");
        const isHealthy = await isDatabaseAnswering(db, ping(), log);
        return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
      },
    );
  }
}

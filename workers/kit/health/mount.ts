import { healthSchema, version } from "../../../schemas/health";
import type { Databases } from "../db/db";
import { isDatabaseResponding } from "../db/health";
import { jsonResponse } from "../http/openapi/responses";
import type { Service } from "../http/service";
import type { Log } from "../log";
import { ping } from "./health.store";

type HealthEnv = { Bindings: object; Variables: { services: Pick<Databases, "platformDb"> & { log: Log } } };

/**
 * Mounts the public health endpoint under the common path and under the service's own path. With an invalid setting it
 * responds 503 like every other request, unless the service lists the path in `alwaysAvailablePaths`.
 */
export function mountHealth<E extends HealthEnv>(service: Service<E>, servicePath: string): void {
  for (const path of ["/api/v1/health", servicePath]) {
    service.route(
      {
        method: "get",
        path,
        tags: ["Service"],
        summary: "Check the health of the service",
        responses: {
          200: jsonResponse(healthSchema, "The service is healthy"),
          503: jsonResponse(healthSchema, "The database did not respond in 2 s, or a table is missing"),
        },
      },
      async (c) => {
        const { platformDb, log } = c.get("services");
        const isHealthy = await isDatabaseResponding(platformDb, ping(), log);
        return c.json({ status: isHealthy ? "ok" : "degraded", version }, isHealthy ? 200 : 503);
      },
    );
  }
}

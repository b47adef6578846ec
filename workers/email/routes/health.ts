import * as z from "zod";
import { jsonResponse } from "../../kit/http/openapi";
import { errorName } from "../../kit/log";
import type { EmailContext, EmailService } from "../http";
import type { EmailServices } from "../services";
import { ping } from "../store/health";
import { VERSION } from "../version";

const PING_TIMEOUT_MS = 2000;

const healthSchema = z.object({ status: z.enum(["ok", "degraded"]), version: z.string() });

/** `GET /api/v1/health` (email details 14): public, also when a required setting is wrong. */
export function mountHealth(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/health",
      tags: ["health"],
      summary: "Whether the service can work",
      responses: {
        200: jsonResponse(healthSchema, "Settings are complete and the database answers"),
        503: jsonResponse(healthSchema, "A required setting is wrong, or the database did not answer in 2 s"),
      },
    },
    async (c) => {
      const isHealthy = await answersInTime(c);
      return c.json({ status: isHealthy ? "ok" : "degraded", version: VERSION }, isHealthy ? 200 : 503);
    },
  );
}

async function answersInTime(c: EmailContext): Promise<boolean> {
  // The frame leaves the services out when a setting is wrong.
  const services: EmailServices | undefined = c.get("services");
  if (services === undefined) return false;
  let timer = 0;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PING_TIMEOUT_MS);
  });
  const answered = services.db.first(ping.bind(services.db)).then(
    () => true,
    (error: unknown) => {
      services.log.error("database does not answer", { cause: errorName(error) });
      return false;
    },
  );
  const result = await Promise.race([answered, late]);
  clearTimeout(timer);
  return result;
}

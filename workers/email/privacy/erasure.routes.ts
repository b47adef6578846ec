import { emailErrors } from "../../../schemas/email/errors";
import { eraseBody, erasedSchema } from "../../../schemas/email/privacy";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../http";
import { ringErasures } from "../queue/doorbell";
import { eraseAddress, readErasure } from "./erasure";

/** `/api/v1/privacy/erase`: what is kept of an address in a company goes (Document 2, email details 8.3). */
export function mountPrivacy(service: EmailService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/privacy/erase",
      tags: ["Privacy"],
      security: [{ bearerAuth: [] }],
      summary: "Delete a company's messages to an address, with their events; waiting ones are not sent",
      description: "The key of the service `identity`, or staff. Suppressions, unsubscribes and statistics stay.",
      request: { body: jsonBody(eraseBody) },
      responses: {
        200: jsonResponse(erasedSchema, "Erased; a repeat finds nothing more"),
        ...problemResponses(emailErrors, [
          "validation_failed",
          "unauthorized",
          "pat_read_only",
          "company_mismatch",
          "forbidden",
          "rate_limited",
          "payload_too_large",
          "unsupported_media_type",
          "service_unavailable",
        ]),
      },
    },
    erase,
  );
}

async function erase(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const { messages, masked, openId } = await eraseAddress(services, await readErasure(c.req.raw, services));
  if (openId !== null) services.waitUntil(ringErasures(services, [openId]));
  return c.json({ deleted_messages: messages, email_masked: masked });
}

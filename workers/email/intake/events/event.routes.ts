import { emailErrors } from "../../../../schemas/email/errors";
import { eventAnswerSchema, eventBodySchema } from "../../../../schemas/email/intake/ingest";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../../http";
import { handOver } from "../acceptance/hand-over";
import { SUBMISSION_ERRORS } from "../submission/submission-errors";
import { submitEvent } from "./event";

const refusals = [
  ...SUBMISSION_ERRORS,
  "unknown_event",
  "language_not_available",
  "recipient_invalid",
  "variable_url_not_allowed",
  "recipient_suppressed",
  "recipient_rate_limited",
  "company_rate_limited",
  "renderer_unavailable",
];

/** `POST /api/v1/events`: send an event. */
export function mountEventIngest(service: EmailService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/events",
      tags: ["Events"],
      security: [{ bearerAuth: [] }],
      summary: "Send an event; the company's email rules decide who receives mail about it",
      describe: () => ({
        request: { body: jsonBody(eventBodySchema) },
        responses: {
          202: jsonResponse(
            eventAnswerSchema,
            "Accepted: one message for each enabled rule and recipient, or the reason why there is none",
          ),
          ...problemResponses(emailErrors, refusals),
        },
      }),
    },
    ingest,
  );
}

async function ingest(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const { isReplay, response, messages, lane, sendable } = await submitEvent(c.req.raw, services);
  const statuses = await handOver(services, lane, sendable);
  const items = messages.map((item) => ({ ...item, status: statuses.get(item.id) ?? item.status }));
  return c.json({ idempotent_replay: isReplay, ...response, messages: items }, 202);
}

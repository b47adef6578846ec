import { emailErrors } from "../../../../schemas/email/errors";
import {
  sendAnswerSchema,
  sendBatchAnswerSchema,
  sendBatchBodySchema,
  sendBodySchema,
} from "../../../../schemas/email/intake/send";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../../http";
import { handOver } from "../acceptance/hand-over";
import { SUBMISSION_ERRORS } from "../submission/submission-errors";
import { submitBatch } from "./batch";
import { submitSend } from "./send";

const security = [{ bearerAuth: [] }];
const tags = ["Send"];

const batchErrors = [
  ...SUBMISSION_ERRORS,
  "language_not_available",
  "template_lane_mismatch",
  "lane_requires_campaign",
  "template_not_found",
];
const sendErrors = [
  ...batchErrors,
  "recipient_invalid",
  "variable_url_not_allowed",
  "recipient_suppressed",
  "recipient_rate_limited",
  "company_rate_limited",
];

/** `POST /api/v1/send` and `POST /api/v1/send/batch`. */
export function mountSend(service: EmailService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/send",
      tags,
      security,
      summary: "Send a catalog message to 1 to 50 recipients",
      describe: () => ({
        request: { body: jsonBody(sendBodySchema) },
        responses: {
          202: jsonResponse(sendAnswerSchema, "Accepted: one message for each entry of `to`"),
          ...problemResponses(emailErrors, sendErrors),
        },
      }),
    },
    send,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/send/batch",
      tags,
      security,
      summary: "Send a catalog message to up to 500 recipients, each with its own variables",
      describe: () => ({
        request: { body: jsonBody(sendBatchBodySchema) },
        responses: {
          202: jsonResponse(sendBatchAnswerSchema, "Accepted and rejected items, by index"),
          ...problemResponses(emailErrors, batchErrors),
        },
      }),
    },
    sendBatch,
  );
}

async function send(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const { isReplay, messages, lane, sendable } = await submitSend(c.req.raw, services);
  const statuses = await handOver(services, lane, sendable);
  const items = messages.map((item) => ({ ...item, status: statuses.get(item.id) ?? item.status }));
  return c.json({ idempotent_replay: isReplay, messages: items }, 202);
}

async function sendBatch(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const { isReplay, accepted, rejected, lane, sendable } = await submitBatch(c.req.raw, services);
  const statuses = await handOver(services, lane, sendable);
  const items = accepted.map((item) => ({ ...item, status: statuses.get(item.id) ?? item.status }));
  return c.json({ idempotent_replay: isReplay, accepted: items, rejected }, 202);
}

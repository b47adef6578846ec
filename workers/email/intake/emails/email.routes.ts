import * as z from "zod";
import { emailErrors } from "../../../../schemas/email/errors";
import {
  changedEmailSchema,
  emailBodySchema,
  emailIdSchema,
  emailIdsSchema,
  emailSchema,
  emailsBodySchema,
  resendProblemSchema,
  scheduleBodySchema,
} from "../../../../schemas/email/intake/emails";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import type { EmailContext, EmailService } from "../../http";
import { submitEmail, submitEmails } from "./email";
import { uuidOf } from "./email-id";
import { cancelEmail, rescheduleEmail, showEmail } from "./stored-email";

const security = [{ bearerAuth: [] }];
const tags = ["Emails"];
const path = "/api/v1/emails";

const form = { mediaType: "application/json", schema: resendProblemSchema };
const errorsOf = (codes: string[]) =>
  problemResponses(emailErrors, ["unauthorized", "company_mismatch", "rate_limited", ...codes], form);

const sendErrors = [
  "validation_failed",
  "forbidden",
  "lane_not_allowed",
  "from_not_allowed",
  "template_not_found",
  "template_lane_mismatch",
  "variable_url_not_allowed",
  "idempotency_conflict",
  "lane_paused",
  "platform_sender_not_allowed",
  "company_smtp_disabled",
  "provider_not_configured",
  "payload_too_large",
  "unsupported_media_type",
  "recipient_rate_limited",
  "company_rate_limited",
  "library_not_synced",
];

const keyHeader = (max: number) =>
  z.object({ "Idempotency-Key": z.string().min(1).max(max).optional().describe("repeats with the key send nothing") });
const batchHeaders = () => keyHeader(256).extend({ "x-batch-validation": z.enum(["strict", "permissive"]).optional() });
const idParam = () => z.object({ id: z.uuid() });

/** Mounts the routes below `/api/v1/emails`, which have the format of Resend's API. */
export function mountEmails(service: EmailService): void {
  service.route(
    {
      method: "post",
      path,
      tags,
      security,
      summary: "Send an email with its content, or with a template",
      describe: () => ({
        request: { headers: keyHeader(256), body: jsonBody(emailBodySchema) },
        responses: {
          200: jsonResponse(emailIdSchema, "Accepted: the id of the email"),
          ...errorsOf([...sendErrors, "storage_error", "service_unavailable"]),
        },
      }),
    },
    async (c) => c.json(await submitEmail(c.req.raw, c.get("services"))),
  );
  service.route(
    {
      method: "post",
      path: `${path}/batch`,
      tags,
      security,
      summary: "Send up to 100 emails",
      describe: () => ({
        request: { headers: batchHeaders(), body: jsonBody(emailsBodySchema) },
        responses: { 200: jsonResponse(emailIdsSchema, "Accepted: the ids of the emails"), ...errorsOf(sendErrors) },
      }),
    },
    async (c) => c.json(await submitEmails(c.req.raw, c.get("services"))),
  );
  service.route(
    {
      method: "get",
      path: `${path}/{id}`,
      tags,
      security,
      summary: "Get an email and the status of its messages",
      describe: () => ({
        request: { params: idParam() },
        responses: { 200: jsonResponse(emailSchema, "The email"), ...errorsOf(["message_not_found"]) },
      }),
    },
    async (c) => c.json(await showEmail(c.req.raw, c.req.param("id"), c.get("services"))),
  );
  service.route(
    {
      method: "patch",
      path: `${path}/{id}`,
      tags,
      security,
      summary: "Reschedule an email",
      describe: () => ({
        request: { params: idParam(), body: jsonBody(scheduleBodySchema) },
        responses: {
          200: jsonResponse(changedEmailSchema, "The email has a new time"),
          ...errorsOf([
            "validation_failed",
            "payload_too_large",
            "unsupported_media_type",
            "message_not_found",
            "email_not_scheduled",
          ]),
        },
      }),
    },
    reschedule,
  );
  service.route(
    {
      method: "post",
      path: `${path}/{id}/cancel`,
      tags,
      security,
      summary: "Cancel the waiting messages of an email",
      describe: () => ({
        request: { params: idParam() },
        responses: {
          200: jsonResponse(changedEmailSchema, "The messages are cancelled"),
          ...errorsOf(["message_not_found", "message_not_cancellable"]),
        },
      }),
    },
    cancel,
  );
}

async function reschedule(c: EmailContext): Promise<Response> {
  const id = await rescheduleEmail(c.req.raw, c.req.param("id"), c.get("services"), () => readJson(c.req.raw));
  return c.json({ object: "email", id: uuidOf(id) });
}

async function cancel(c: EmailContext): Promise<Response> {
  return c.json({ object: "email", id: uuidOf(await cancelEmail(c.req.raw, c.req.param("id"), c.get("services"))) });
}

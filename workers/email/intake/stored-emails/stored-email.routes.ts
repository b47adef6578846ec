import * as z from "zod";
import { changedEmailSchema, emailSchema, scheduleBodySchema } from "../../../../schemas/email/intake/emails";
import { jsonBody, jsonResponse } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import type { EmailContext, EmailService } from "../../http";
import { uuidOf } from "../emails/email-id";
import { resendErrorResponses } from "../emails/resend-error";
import { cancelEmail, rescheduleEmail, showEmail } from "./stored-email";

const security = [{ bearerAuth: [] }];
const tags = ["Emails"];
const path = "/api/v1/emails/{id}";

const idParam = () => z.object({ id: z.uuid() });

/** `/api/v1/emails/{id}`: get, reschedule and cancel an email, in the format of Resend's API. */
export function mountStoredEmails(service: EmailService): void {
  service.route(
    {
      method: "get",
      path,
      tags,
      security,
      summary: "Get an email and the status of its messages",
      describe: () => ({
        request: { params: idParam() },
        responses: { 200: jsonResponse(emailSchema, "The email"), ...resendErrorResponses(["message_not_found"]) },
      }),
    },
    async (c) => c.json(await showEmail(c.req.raw, c.req.param("id"), c.get("services"))),
  );
  service.route(
    {
      method: "patch",
      path,
      tags,
      security,
      summary: "Reschedule an email",
      describe: () => ({
        request: { params: idParam(), body: jsonBody(scheduleBodySchema) },
        responses: {
          200: jsonResponse(changedEmailSchema, "The email has a new time"),
          ...resendErrorResponses([
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
      path: `${path}/cancel`,
      tags,
      security,
      summary: "Cancel the waiting messages of an email",
      describe: () => ({
        request: { params: idParam() },
        responses: {
          200: jsonResponse(changedEmailSchema, "The messages are cancelled"),
          ...resendErrorResponses(["message_not_found", "message_not_cancellable"]),
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

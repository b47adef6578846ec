import * as z from "zod";
import {
  emailBodySchema,
  emailIdSchema,
  emailIdsSchema,
  emailsBodySchema,
} from "../../../../schemas/email/intake/emails";
import { jsonBody, jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailService } from "../../http";
import { SUBMISSION_ERRORS } from "../submission/submission-errors";
import { submitEmail, submitEmails } from "./email";
import { resendErrorResponses } from "./resend-error";

const security = [{ bearerAuth: [] }];
const tags = ["Emails"];
const path = "/api/v1/emails";

const sendErrors = [
  ...SUBMISSION_ERRORS,
  "from_not_allowed",
  "template_not_found",
  "template_lane_mismatch",
  "variable_url_not_allowed",
  "recipient_rate_limited",
  "company_rate_limited",
];

const keyHeader = (max: number) =>
  z.object({ "Idempotency-Key": z.string().min(1).max(max).optional().describe("repeats with the key send nothing") });
const batchHeaders = () => keyHeader(256).extend({ "x-batch-validation": z.enum(["strict", "permissive"]).optional() });

/** `/api/v1/emails`: send mail with its own content or a template, in the format of Resend's API. */
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
          ...resendErrorResponses([...sendErrors, "storage_error"]),
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
        responses: {
          200: jsonResponse(emailIdsSchema, "Accepted: the ids of the emails"),
          ...resendErrorResponses(sendErrors),
        },
      }),
    },
    async (c) => c.json(await submitEmails(c.req.raw, c.get("services"))),
  );
}

import * as z from "zod";
import { providerWebhookBody, providerWebhookSchema } from "../../../../schemas/email/delivery/provider-events";
import { emailErrors } from "../../../../schemas/email/errors";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { decodeText, readBytes } from "../../../kit/http/request/body";
import { tryParse } from "../../../kit/http/request/parsed";
import type { EmailContext, EmailService } from "../../http";
import { Problem } from "../../problem";
import { transports } from "../transports/catalog";
import { postmarkFormat } from "./postmark-format";
import type { ProviderFormat } from "./provider-event";
import { receive } from "./receive";
import { sesFormat } from "./ses-format";
import { standardFormat } from "./standard-format";

const MAX_BYTES = 1_048_576;

type Format = ProviderFormat & { isStandard: boolean };

/** The providers whose webhooks the service accepts. */
const FORMATS: readonly { provider: string; name: string; proof: string; format: Format }[] = [
  {
    provider: transports.api.name,
    name: "the HTTP mail API",
    format: { ...standardFormat, isStandard: true },
    proof:
      "`hook-signature` is `v1,` and the base64 of HMAC-SHA-256 over `{hook-id}.{hook-timestamp}.{body}`; the timestamp is in " +
      "unix seconds and at most five minutes off. The headers of Standard Webhooks are accepted too. `type` is " +
      "`email.sent`, `email.delivery_delayed`, `email.delivered`, `email.bounced`, `email.failed`, `email.suppressed`, " +
      "`email.complained` or `contact.updated`; other types are not stored. The tag `message_id` names the message, " +
      "otherwise the provider's `email_id` or `id`.",
  },
  {
    provider: "ses",
    name: "Amazon SES through SNS",
    format: { ...sesFormat, isStandard: false },
    proof: "SNS signs the request; the secret is the HTTP Basic password in the subscription's URL.",
  },
  {
    provider: "postmark",
    name: "Postmark",
    format: { ...postmarkFormat, isStandard: false },
    proof: "The secret is the HTTP Basic password in the webhook's URL.",
  },
];

const SECRET =
  "For mail that the platform sent, the secret is the deployment's `PROVIDER_WEBHOOK_SECRET`. With `company_id`, it is the " +
  "`webhook_secret` of that company's provider. A wrong secret returns 401.";

/** A JSON body. It may also have the media type `text/plain`, which SNS sends. */
const providerBody = () => {
  const { required, content } = jsonBody(providerWebhookBody);
  return { required, content: { ...content, "text/plain": content["application/json"] } };
};

const STREAM = /^[a-z0-9-]{1,32}$/;

/** `POST /api/v1/provider-webhooks/{provider}/{stream}`; docs/specification/email-provider-events.md. */
export function mountProviderEvents(service: EmailService): void {
  for (const { provider, name, proof, format } of FORMATS) {
    service.route(
      {
        method: "post",
        path: `/api/v1/provider-webhooks/${provider}/{stream}`,
        tags: ["Provider webhooks"],
        summary: `Receive webhooks of ${name}`,
        description: `${proof} ${SECRET}`,
        describe: () => ({
          request: {
            params: z.object({
              stream: z.string().regex(STREAM).describe("a name that you choose, stored with each event"),
            }),
            query: z.object({
              company_id: z
                .string()
                .optional()
                .describe("company whose secret verifies the request; default: the platform"),
            }),
            body: providerBody(),
          },
          responses: {
            200: jsonResponse(providerWebhookSchema, "Accepted, also for unknown messages and ignored event types"),
            ...problemResponses(emailErrors, [
              "validation_failed",
              "unauthorized",
              "not_found",
              "payload_too_large",
              "service_unavailable",
            ]),
          },
        }),
      },
      (c) => accept(c, format),
    );
  }
}

async function accept(c: EmailContext, format: Format): Promise<Response> {
  const stream = c.req.param("stream") ?? "";
  if (!STREAM.test(stream)) throw new Problem("not_found");
  const bytes = await readBytes(c.req.raw, MAX_BYTES);
  await receive(c.get("services"), format, {
    request: c.req.raw,
    text: tryParse(() => decodeText(bytes)),
    company: c.req.query("company_id") ?? null,
    stream,
  });
  return c.json({ status: "ok" });
}

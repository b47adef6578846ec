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

/** The providers whose webhooks are read; `api` is the HTTP mail API. */
const FORMATS: readonly { provider: string; name: string; proof: string; format: Format }[] = [
  {
    provider: transports.api.name,
    name: "the HTTP mail API",
    format: { ...standardFormat, isStandard: true },
    proof:
      "Signed: `hook-signature` is `v1,` and the base64 of HMAC-SHA-256 over `{hook-id}.{hook-timestamp}.{body}`, the time in " +
      "unix seconds and at most five minutes off; the headers of Standard Webhooks do too. `type` is `email.` and `sent`, " +
      "`delivery_delayed`, `delivered`, `bounced`, `failed`, `suppressed` or `complained`, or `contact.updated`; others are " +
      "not stored. The message is that of the tag `message_id`, else that of the provider's `email_id` or `id`.",
  },
  {
    provider: "ses",
    name: "Amazon SES by SNS",
    format: { ...sesFormat, isStandard: false },
    proof: "Signed by SNS; the secret is the password of HTTP Basic authentication in the address of the subscription.",
  },
  {
    provider: "postmark",
    name: "Postmark",
    format: { ...postmarkFormat, isStandard: false },
    proof: "The secret is the password of HTTP Basic authentication in the address of the webhook.",
  },
];

const SECRET =
  "The secret is `PROVIDER_WEBHOOK_SECRET` of the deployment, for mail that the platform has sent, or with `company_id` the " +
  "`webhook_secret` of that company's provider, for its own mail; 401 without a right one.";

/** JSON, whatever its type is said to be: SNS calls it plain text. */
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
        summary: `What ${name} tells of mail that it took`,
        description: `${proof} ${SECRET}`,
        describe: () => ({
          request: {
            params: z.object({
              stream: z.string().regex(STREAM).describe("a name of your own, kept with each event"),
            }),
            query: z.object({
              company_id: z.string().optional().describe("whose secret proves it; without: the platform's"),
            }),
            body: providerBody(),
          },
          responses: {
            200: jsonResponse(providerWebhookSchema, "Taken; what is unknown or no matter here is taken too"),
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
      (c) => take(c, format),
    );
  }
}

async function take(c: EmailContext, format: Format): Promise<Response> {
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

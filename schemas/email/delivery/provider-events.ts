import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** Body of a webhook of the HTTP mail API. Other providers use other formats. */
export const providerWebhookBody = lazySchema(() =>
  z.looseObject({ type: z.string().optional(), data: z.looseObject({}).optional() }).meta({
    examples: [
      {
        type: "email.delivered",
        data: { email_id: "5c1de1a2", tags: [{ name: "message_id", value: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77" }] },
      },
      {
        type: "email.bounced",
        data: { email_id: "5c1de1a2", bounce: { type: "Permanent", message: "550 5.1.1 no such mailbox" } },
      },
    ],
  }),
);

/** Response to the webhook of a provider. */
export const providerWebhookSchema = lazySchema(() =>
  z.object({ status: z.literal("ok") }).meta({ examples: [{ status: "ok" }] }),
);

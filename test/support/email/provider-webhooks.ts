import { eq } from "drizzle-orm";
import { company_providers } from "../../../db/email/schema";
import { webhookAad } from "../../../workers/email/delivery/sender-settings/provider";
import { keysOf } from "../../../workers/email/keys";
import { seal } from "../../../workers/kit/crypto/seal";
import { sign } from "../../../workers/kit/webhooks/posting/signing-secret";
import { storeProvider } from "./delivery";
import { createCompany, type EmailHarness, testEnv } from "./email";
import { readRows, updateRows } from "./rows";

/** The platform's webhook secret in the tests. */
export const PLATFORM_SECRET = "whsec_cGxhdGZvcm0tc2VjcmV0LW9mLXRlc3Rz";

/** Posts a signed webhook of the HTTP mail API. `hook` is the webhook's id, unique by default. */
export async function postProviderWebhook(
  email: EmailHarness,
  body: unknown,
  {
    secret = PLATFORM_SECRET,
    hook = crypto.randomUUID() as string,
    at = Date.now(),
    query = "",
    stream = "transactional",
    prefix = "hook",
  } = {},
): Promise<Response> {
  const raw = typeof body === "string" ? body : JSON.stringify(body);
  const timestamp = Math.floor(at / 1000);
  const signature = await sign([secret], { id: hook, timestamp, body: raw });
  return email.call(`/api/v1/provider-webhooks/api/${stream}${query}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      [`${prefix}-id`]: hook,
      [`${prefix}-timestamp`]: String(timestamp),
      [`${prefix}-signature`]: signature,
    },
    body: raw,
  });
}

/** Returns an event of the HTTP mail API. Its tag names the message (32 hex characters). */
export const providerEvent = (type: string, id: string, data: Record<string, unknown> = {}) => ({
  type: `email.${type}`,
  data: { tags: [{ name: "message_id", value: `msg_${id}` }], ...data },
});

/** Creates a company whose own provider signs with this secret, and returns its id. */
export async function companySender(secret: string): Promise<number> {
  const companyId = createCompany();
  await storeProvider(companyId, { kind: "api", apiKey: "key" } as never);
  const [row] = await readRows(company_providers, eq(company_providers.company_id, companyId));
  if (row === undefined) throw new Error("no provider");
  const sealContext = { companyId, sealId: row.seal_id };
  const { credentials } = await keysOf(testEnv);
  const webhook_secret_enc = await seal(secret, credentials, webhookAad("webhook_secret_enc", sealContext));
  await updateRows(company_providers, { webhook_secret_enc }, eq(company_providers.company_id, companyId));
  return companyId;
}

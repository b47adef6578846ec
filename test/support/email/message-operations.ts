import { directIdOf } from "../../../db/email/conditions/direct";
import { direct_contents, messages } from "../../../db/email/schema";
import { uuidOf } from "../../../workers/email/intake/emails/email-id";
import type { Facts } from "../http/route-calls";
import { startServices } from "./delivery";
import { uniqueAddress } from "./messages";
import { insertRow } from "./rows";

/** Requests with this invalid key are rate limited by network address. Requests with a valid key are not. */
export const limitedBearer = "esk_nobody";

/** Facts about routes in the format of Resend's API. */
export function directMailFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const service = { role: "service", limitedBearer } as const;
  const body = () => ({
    from: startServices().settings.defaultFrom.address,
    to: [uniqueAddress()],
    subject: "Your order",
    html: "<p>Thank you.</p>",
    reply_to: ["help@aster.example"],
    tags: [{ name: "category", value: "order" }],
  });
  const row = {
    ...service,
    companyRow: () => storeDirectMail(company),
    foreign: () => storeDirectMail(foreignCompany),
  };
  const scheduled_at = new Date(Date.now() + 2 * 3_600_000).toISOString();
  return {
    "post /api/v1/emails": { ...service, maxBytes: 8_388_608, longTexts: ["html", "text"], body },
    "post /api/v1/emails/batch": {
      ...service,
      maxBytes: 8_388_608,
      acceptsArray: true,
      body: () => ({ emails: [body()] }),
    },
    "get /api/v1/emails/{id}": row,
    "patch /api/v1/emails/{id}": { ...row, body: () => ({ scheduled_at }) },
    "post /api/v1/emails/{id}/cancel": row,
  };
}

/** Facts about routes of messages. */
export function messageFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const message = {
    ...admin,
    companyRow: () => storeMessage(company),
    foreign: () => storeMessage(foreignCompany),
    // The owner of another company gets 403.
    foreignAnswer: "403 forbidden",
  };
  return {
    "get /api/v1/messages": admin,
    "get /api/v1/messages/{id}": { ...message, limitedBearer },
    "post /api/v1/messages/{id}/cancel": message,
  };
}

/** Stores a direct mail that is scheduled in an hour, and returns its id. */
async function storeDirectMail(company: number): Promise<string> {
  const id = directIdOf(crypto.randomUUID().replaceAll("-", ""));
  const at = Date.now() + 3_600_000;
  const trace = { direct: { from: "shop@aster.example", tags: [] } };
  await insertRow(messages, { ...storedMessage(company), id, lane: "transactional", next_attempt_at: at, trace });
  await insertRow(direct_contents, { company_id: company, id, content_enc: "x", scheduled_at: at });
  return uuidOf(id);
}

async function storeMessage(company: number): Promise<string> {
  const { id } = await insertRow(messages, storedMessage(company));
  return `msg_${id}`;
}

/** Returns the row of a waiting message. */
function storedMessage(company: number): typeof messages.$inferInsert {
  return {
    id: crypto.randomUUID().replaceAll("-", ""),
    company_id: company,
    service: "identity",
    template_key: "t",
    event_type: "t",
    language: "en",
    lane: "bulk",
    category: "bulk",
    scope: "company",
    status: "queued",
    to_enc: "x",
    to_masked: "a***@example.com",
    email_hmac: "h",
    trace: {},
    request_id: "r",
    next_attempt_at: 0,
    accepted_at: Date.now(),
  };
}

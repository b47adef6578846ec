import { sql } from "drizzle-orm";
import { messages } from "../../../db/email/schema";
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import { insertNumbered, type Numbers } from "../db/numbered-rows";

const MONTH_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;

const events = JSON.stringify(CATALOG_EVENTS.map(({ event_type }) => event_type));
const lanes = JSON.stringify(CATALOG_EVENTS.map(({ lane_class }) => lane_class));

/** The number of event types. Each day has messages of every type. */
export const eventsOfADay = CATALOG_EVENTS.length;

/**
 * Stores one message of a company per number. The messages are spread evenly over the 30 days before the last hour, and
 * over all event types of the catalog. Every fiftieth message has bounced.
 */
export function storeMonth(d1: D1Database, companyId: number, numbers: Numbers): Promise<void> {
  const last = Date.now() - HOUR_MS;
  const stepMs = Math.floor((MONTH_MS - HOUR_MS) / (numbers.to - numbers.from + 1));
  return insertNumbered(d1, messages, numbers, (i) => {
    const at = sql`(${last} - (${numbers.to} - ${i}) * ${stepMs})`;
    const event = sql`json_extract(${events}, printf('$[%d]', ${i} % ${CATALOG_EVENTS.length}))`;
    const lane = sql`json_extract(${lanes}, printf('$[%d]', ${i} % ${CATALOG_EVENTS.length}))`;
    return {
      id: sql`printf('%012x7%03x8%05x%010x', ${at}, ${i} % 4096, ${companyId}, ${i})`,
      company_id: companyId,
      service: "identity",
      language: "en" as const,
      template_key: event,
      event_type: event,
      lane,
      category: lane,
      scope: "platform" as const,
      status: sql`case when ${i} % 50 then 'delivered' else 'bounced' end`,
      rank: 30,
      sent_at: at,
      to_enc: "",
      to_masked: "m***@example.com",
      email_hmac: sql`'many' || ${i}`,
      accepted_at: at,
      trace: {},
      request_id: "",
    };
  });
}

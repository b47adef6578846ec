import { action_deliveries } from "../../../db/kit/webhooks";
import { DAY_MS } from "../../../workers/kit/time";
import type { Facts } from "../http/route-calls";
import { insertEvent, insertRow, insertRule } from "./rows";

/**
 * Returns the facts about webhook operations, which are the same for each service. `eventType` is an event type that
 * subscriptions may select. Rows are inserted directly, because the route check would exceed the API's limit of
 * subscriptions.
 */
export function webhookFacts(
  company: number,
  foreignCompany: number,
  eventType: string,
  /** whether the service looks up callers in its database */
  { knowsCallers }: { knowsCallers: boolean },
): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const fixed = knowsCallers ? admin : { ...admin, needsNoDatabase: true };
  const rows = (store: (company: number) => Promise<number | string>) => ({
    ...admin,
    companyRow: async () => String(await store(company)),
    foreign: async () => String(await store(foreignCompany)),
  });
  const rule = rows((owner) => storeRule(owner, eventType));
  const delivery = rows((owner) => storeDelivery(owner, eventType));
  const event = rows((owner) => storeEvent(owner, eventType));
  const prefix = "/api/v1/actions";
  return {
    [`get ${prefix}/events`]: fixed,
    [`get ${prefix}/rules`]: admin,
    [`post ${prefix}/rules`]: {
      ...admin,
      hasStaffFields: true,
      onlyInThisResponse: ["secret"],
      // The route check creates more subscriptions than a company may have.
      answers: [201, 409],
      body: () => ({ name: "Bot", event_type: eventType, url: "https://93.184.216.34/x" }),
    },
    [`get ${prefix}/rules/{id}`]: rule,
    [`patch ${prefix}/rules/{id}`]: { ...rule, hasStaffFields: true, body: () => ({ name: "Bot" }) },
    [`delete ${prefix}/rules/{id}`]: rule,
    [`post ${prefix}/rules/{id}/rotate-secret`]: {
      ...rule,
      onlyInThisResponse: ["secret"],
      body: () => ({ overlap_hours: 1 }),
    },
    // The secret of the row cannot be decrypted; tests of subscriptions cover sending.
    [`post ${prefix}/rules/{id}/send-test`]: { ...rule, answers: [400], isLimited: true },
    [`post ${prefix}/rules/{id}/requeue`]: { ...rule, body: () => ({ status: "all" }) },
    [`get ${prefix}/deliveries`]: admin,
    [`get ${prefix}/deliveries/{id}`]: delivery,
    [`post ${prefix}/deliveries/{id}/requeue`]: delivery,
    [`get ${prefix}/event-log`]: admin,
    [`get ${prefix}/event-log/types`]: fixed,
    [`get ${prefix}/event-log/retention`]: admin,
    [`get ${prefix}/event-log/{id}`]: event,
    [`post ${prefix}/event-log/{id}/replay`]: {
      ...event,
      body: async () => ({ action_rule_id: await storeRule(company, eventType) }),
    },
  };
}

/** Stores a subscription of the company with an invalid secret. */
const storeRule = (company: number, eventType: string): Promise<number> =>
  insertRule({
    company_id: company,
    name: "Bot",
    event_type: eventType,
    secret_enc: "x",
    url: "https://93.184.216.34/x",
    host: "93.184.216.34",
  });

const envelopeOf = (id: string, type: string) =>
  JSON.stringify({ id, type, time: "2026-01-01T00:00:00.000+00:00", company: {}, data: {} });

/** Stores an event of the company. */
async function storeEvent(company: number, eventType: string): Promise<number> {
  const event_id = crypto.randomUUID();
  const event = { event_id, company_id: company, event_type: eventType, envelope: envelopeOf(event_id, eventType) };
  return (await insertEvent({ ...event, created_at: Date.now() })).id;
}

/** Stores a delivery of the company that has failed once and is due in a year. */
async function storeDelivery(company: number, eventType: string): Promise<string> {
  const [id, now] = [crypto.randomUUID(), Date.now()];
  await insertRow(action_deliveries, {
    id,
    kind: "webhook",
    company_id: company,
    rule_id: await storeRule(company, eventType),
    rule_name: "Bot",
    event_id: id,
    event_type: eventType,
    host: "93.184.216.34",
    body: envelopeOf(id, eventType),
    status: "failed",
    attempt_count: 1,
    due_at: now + 365 * DAY_MS,
    created_at: now,
    updated_at: now,
  });
  return id;
}

import { eventType, storeDelivery, storeEvent } from "./actions-api";
import { rows } from "./identity";
import type { Facts } from "./route-calls";

type Company = { id: number };

/** Stores a disabled rule, so that no call of the check reaches for its target; answers its id. */
async function storeRule({ id }: Company): Promise<number> {
  const [rule] = await rows<{ id: number }>(
    `INSERT INTO action_rules (company_id, name, event_type, enabled, url, host, secret_enc, secret_hint, created_at,
       updated_at) VALUES (?, 'Bot', ?, 0, 'https://93.184.216.34/', '93.184.216.34', 'v1.x', '****', 1, 1) RETURNING id`,
    ...[id, eventType],
  );
  return rule?.id ?? 0;
}

/** What the check must know of the operations of Actions; events of the log have their rows beside the other ones. */
export function actionFacts({ company, other }: { company: Company; other: Company }): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const ruleOf = (at: Company) => async () => String(await storeRule(at));
  const deliveryOf = (at: Company) => async () =>
    (await storeDelivery({ company_id: at.id, rule_id: await storeRule(at), status: "dead" })).id;
  const eventOf = (at: Company) => async () => String((await storeEvent(at.id)).id);
  const rule = { ...admin, own: ruleOf(company), foreign: ruleOf(other) };
  const delivery = { ...admin, own: deliveryOf(company), foreign: deliveryOf(other) };
  const root = "/api/v1/actions";
  return {
    [`get ${root}/events`]: admin,
    [`get ${root}/rules`]: admin,
    [`post ${root}/rules`]: {
      ...admin,
      hasStaffFields: true,
      shownOnce: ["secret"],
      body: () => ({ name: "Bot", event_type: eventType, url: "https://93.184.216.34/hook" }),
    },
    [`get ${root}/rules/{id}`]: rule,
    [`patch ${root}/rules/{id}`]: { ...rule, hasStaffFields: true, body: () => ({ name: "Bot" }) },
    [`delete ${root}/rules/{id}`]: rule,
    [`post ${root}/rules/{id}/rotate-secret`]: {
      ...rule,
      shownOnce: ["secret"],
      body: () => ({ secret: "another secret" }),
    },
    // A test reaches for its target; actions-secrets.test.ts brings one.
    [`post ${root}/rules/{id}/send-test`]: { ...rule, answers: [409], isLimited: true },
    [`post ${root}/rules/{id}/requeue`]: { ...rule, body: () => ({ status: "all" }) },
    [`get ${root}/deliveries`]: admin,
    [`get ${root}/deliveries/{id}`]: delivery,
    [`post ${root}/deliveries/{id}/requeue`]: delivery,
    [`post ${root}/event-log/{id}/replay`]: {
      ...admin,
      own: eventOf(company),
      foreign: eventOf(other),
      body: async () => ({ action_rule_id: await storeRule(company) }),
    },
  };
}

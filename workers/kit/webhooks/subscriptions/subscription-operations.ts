import type { RuleRow } from "../../../../db/kit/webhooks";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { rowIdOf } from "../../http/request/path-id";
import { inReach, limitMutation } from "../access/access";
import { API_PREFIX } from "../access/operations";
import type { WebhookCaller, WebhooksServices } from "../api";
import { ruleRead } from "./subscription";
import { refusePrivateTargets } from "./subscription-input";

export const rulesPath = `${API_PREFIX}/rules`;

export const common = { tags: ["Webhook rules"], role: "owner" } as const;

/** A change of rules counts on its user, and what staff alone may ask for is judged before the row. */
export async function permitChange(known: {
  services: WebhooksServices;
  caller: WebhookCaller;
  seen: Record<string, unknown>;
}): Promise<void> {
  await limitMutation(known.services, known.caller);
  refusePrivateTargets(known.caller, known.seen);
}

type Found = Parameters<typeof inReach>[1] & { results: { rule: { first: RuleRow | null } } };

/** The rule of a path when it is in reach. */
export const ofRule = {
  query: companyQuery,
  params: rowIdPath,
  input: ({ params }: { params: Record<string, string> }) => rowIdOf(params.id),
  reads: ({ input }: { input: number | null }) => ({ rule: ruleRead(input) }),
  row: ({ results, ...reach }: Found) => inReach(results.rule.first, reach),
};

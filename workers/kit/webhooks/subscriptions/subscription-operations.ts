import type { RuleRow } from "../../../../db/kit/webhooks";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { rowIdOf } from "../../http/request/path-id";
import { limitMutation, rowInScope } from "../access/access";
import { API_PREFIX } from "../access/operations";
import type { WebhookCaller, WebhooksServices } from "../api";
import { selectRule } from "./subscription";
import { refusePrivateTargets } from "./subscription-input";

export const rulesPath = `${API_PREFIX}/rules`;

export const common = { tags: ["Webhook rules"], role: "owner" } as const;

/**
 * Counts a change against the user's limit, and rejects fields that only staff may set. Runs before the row is looked
 * up.
 */
export async function permitChange(context: {
  services: WebhooksServices;
  caller: WebhookCaller;
  bodyFields: Record<string, unknown>;
}): Promise<void> {
  await limitMutation(context.services, context.caller);
  refusePrivateTargets(context.caller, context.bodyFields);
}

type RuleLookup = Parameters<typeof rowInScope>[1] & { results: { rule: { first: RuleRow | null } } };

/** Declares the subscription in a path, which must be in the caller's scope. */
export const ofRule = {
  query: companyQuery,
  params: rowIdPath,
  input: ({ params }: { params: Record<string, string> }) => rowIdOf(params.id),
  reads: ({ input }: { input: number | null }) => ({ rule: selectRule(input) }),
  row: ({ results, ...access }: RuleLookup) => rowInScope(results.rule.first, access),
};

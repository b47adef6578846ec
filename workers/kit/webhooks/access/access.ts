import { type NamedCompany, namesNone } from "../../http/request/company-scope";
import { toCounters, toRetryAfterSeconds } from "../../limits/limiter";
import { Problem } from "../../problem";
import { MINUTE_MS } from "../../time";
import type { WebhookCaller, WebhookScope, WebhooksServices } from "../api";

/** Tests of rules that a company may send. */
const TEST_RATE = { limit: 10, windowMs: MINUTE_MS };

/** What of a call says which rows it may reach. */
type Reach = {
  caller: WebhookCaller;
  scope: Pick<WebhookScope, "company">;
  named: NamedCompany;
};

/** The company whose rows a path may name, or null: staff who name no company reach those of every company. */
export function rowScope({ caller, scope, named }: Reach): number | null {
  return caller.isStaff && namesNone(named) ? null : scope.company.id;
}

/** The row when it is there and in reach, else null. */
export function inReach<Row extends { company_id: number | null }>(row: Row | null, reach: Reach): Row | null {
  const scope = rowScope(reach);
  return scope === null || row?.company_id === scope ? row : null;
}

/** Counts a mutation of rules or deliveries: `API_MUTATION_RATE_LIMIT` per user, 429 `rate_limited`. */
export async function limitMutation({ limiter, settings }: WebhooksServices, caller: WebhookCaller): Promise<void> {
  const decision = await limiter.reserve(`user:${caller.userId}`, toCounters("mutations", settings.rates.mutation));
  if (!decision.ok) throw refused(decision);
}

/** Counts a test of a rule on its company. */
export async function limitTest({ limiter }: WebhooksServices, companyId: number): Promise<void> {
  const decision = await limiter.reserve(`company:${companyId}`, toCounters("send-test", TEST_RATE));
  if (!decision.ok) throw refused(decision);
}

function refused(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

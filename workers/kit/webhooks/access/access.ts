import { isCompanyOmitted, type RequestedCompany } from "../../http/request/company-scope";
import { toCounters, toRetryAfterSeconds } from "../../limits/limiter";
import { Problem } from "../../problem";
import { MINUTE_MS } from "../../time";
import type { WebhookCaller, WebhookScope, WebhooksServices } from "../api";

/** The maximum rate of test deliveries of a company. */
const TEST_RATE = { limit: 10, windowMs: MINUTE_MS };

/** The parts of a call that determine which rows it may access. */
type AccessScope = {
  caller: WebhookCaller;
  scope: Pick<WebhookScope, "company">;
  requestedCompany: RequestedCompany;
};

/**
 * Returns the company that the row in the path must belong to. Returns null for staff who name no company, because they
 * may access the rows of every company.
 */
export function rowScope({ caller, scope, requestedCompany }: AccessScope): number | null {
  return caller.isStaff && isCompanyOmitted(requestedCompany) ? null : scope.company.id;
}

/** Returns the row when it exists and the caller may access it, else null. */
export function rowInScope<Row extends { company_id: number | null }>(
  row: Row | null,
  access: AccessScope,
): Row | null {
  const scope = rowScope(access);
  return scope === null || row?.company_id === scope ? row : null;
}

/**
 * Counts a mutation of subscriptions or deliveries against the user's `API_MUTATION_RATE_LIMIT`; throws 429
 * `rate_limited`.
 */
export async function limitMutation({ limiter, settings }: WebhooksServices, caller: WebhookCaller): Promise<void> {
  const decision = await limiter.reserve(`user:${caller.userId}`, toCounters("mutations", settings.rates.mutation));
  if (!decision.ok) throw refused(decision);
}

/** Counts a test delivery against the company's limit; throws 429 `rate_limited`. */
export async function limitTest({ limiter }: WebhooksServices, companyId: number): Promise<void> {
  const decision = await limiter.reserve(`company:${companyId}`, toCounters("send-test", TEST_RATE));
  if (!decision.ok) throw refused(decision);
}

function refused(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

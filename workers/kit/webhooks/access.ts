import { toCounters, toRetryAfterSeconds } from "../limits/limiter";
import { Problem } from "../problem";
import type { ActionsCaller, ActionsServices, Admission } from "./api";

type Scoped = Pick<Admission, "caller" | "company">;

/** Tests of rules that a company may send (details of Document 3, section 2, point 8). */
const TEST_RATE = { limit: 10, windowMs: 60_000 };

/**
 * The company whose rows a path may name, or null: staff who name no company reach those of every company. A row of another
 * company is 404 (details of Document 3, section 2, point 7).
 */
export function rowScope({ caller, company }: Scoped, request: Request, body?: unknown): number | null {
  const isNamed = new URL(request.url).searchParams.has("company_id") || (body !== undefined && body !== null);
  return caller.isStaff && !isNamed ? null : company.id;
}

/** The row when it is there and in scope, else 404 `not_found`. */
export function requireInScope<Row extends { company_id: number | null }>(
  row: Row | undefined,
  scope: number | null,
): Row {
  if (!row || (scope !== null && row.company_id !== scope)) throw new Problem("not_found");
  return row;
}

/** Counts a mutation of rules or deliveries: `API_MUTATION_RATE_LIMIT` per user, 429 `rate_limited`. */
export async function limitMutation({ limiter, settings }: ActionsServices, caller: ActionsCaller): Promise<void> {
  const decision = await limiter.reserve(`user:${caller.userId}`, toCounters("mutations", settings.rates.mutation));
  if (!decision.ok) throw refused(decision);
}

/** Counts a test of a rule on its company. */
export async function limitTest({ limiter }: ActionsServices, companyId: number): Promise<void> {
  const decision = await limiter.reserve(`company:${companyId}`, toCounters("send-test", TEST_RATE));
  if (!decision.ok) throw refused(decision);
}

function refused(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

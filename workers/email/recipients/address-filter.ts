import { toRetryAfterSeconds } from "../../kit/limits/limiter";
import type { Counter } from "../../kit/limits/sliding-window";
import { invalid, Problem } from "../../kit/problem";
import type { EmailServices } from "../services";
import { hashAddress, readAddress } from "./address";

/** Hashes by each pepper of the address that a list is narrowed to, or null; rows of before a pepper change are found too. */
export async function readAddressFilter(services: EmailServices, email: string | undefined): Promise<string[] | null> {
  if (email === undefined) return null;
  const address = readAddress(email);
  if (address === null) throw invalid({ email: ["invalid_format"] });
  const { peppers } = await services.keys();
  return Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
}

/** Counts a test-send: 10 per minute and company, 429 `rate_limited` (email details 1.2). */
export async function limitTestSend(services: EmailServices, companyId: number): Promise<void> {
  const counter: Counter = { key: "provider-test-sends", limit: 10, windowMs: 60_000 };
  const decision = await services.limiter.reserve(`company:${companyId}`, [counter]);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

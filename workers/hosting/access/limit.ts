import type { AdminCaller } from "../../kit/auth/caller";
import { toCounters, toRetryAfterSeconds } from "../../kit/limits/limiter";
import { Problem } from "../problem";
import type { HostingServices } from "../services";

type LimitName = "deploy" | "upload" | "remove" | "access";

/** Returns the `limit` of a call, which counts the user's requests of one kind. It throws 429 `rate_limited`. */
export const limitBy =
  (name: LimitName) =>
  async ({ services, caller }: { services: HostingServices; caller: AdminCaller }): Promise<void> => {
    const counters = toCounters(`hosting-${name}`, services.settings.rates[name]);
    const decision = await services.limiter.reserve(`user:${caller.userId}`, counters);
    if (decision.ok) return;
    throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
  };

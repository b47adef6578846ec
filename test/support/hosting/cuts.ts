import type { HostingBindings } from "../../../workers/hosting/bindings";
import { type Call, cutCalls } from "../db/cut-calls";
import { wrapCalls } from "../db/watched-database";
import { testEnv } from "./hosting";

/**
 * Returns the database and bucket of an invocation in which only the first `cut` calls to D1 and R2 take effect. The result of the last
 * of them is lost, and all later calls fail. So every state is reached in which the invocation can die, before a call or after it.
 * `count` returns the number of calls.
 */
export function cutBindings(cut = Number.POSITIVE_INFINITY): {
  bindings: Pick<HostingBindings, "DB" | "FILES">;
  count: () => number;
} {
  const { call, count } = cutCalls(cut);
  return { bindings: { DB: wrapCalls(testEnv.DB, call), FILES: cutBucket(testEnv.FILES, call) }, count };
}

function cutBucket(bucket: R2Bucket, call: Call): R2Bucket {
  return new Proxy(bucket, {
    get: (_target, name: string) => {
      const value: unknown = Reflect.get(bucket, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => call(() => value.apply(bucket, args) as Promise<unknown>);
    },
  });
}

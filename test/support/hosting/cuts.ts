import type { HostingBindings } from "../../../workers/hosting/bindings";
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
  let calls = 0;
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    const current = calls;
    const died = new Error("the invocation died");
    if (current > cut) throw died;
    const result = await run();
    if (current === cut) throw died;
    return result;
  };
  return { bindings: { DB: wrapCalls(testEnv.DB, call), FILES: cutBucket(testEnv.FILES, call) }, count: () => calls };
}

type Call = <T>(run: () => Promise<T>) => Promise<T>;

function cutBucket(bucket: R2Bucket, call: Call): R2Bucket {
  return new Proxy(bucket, {
    get: (_target, name: string) => {
      const value: unknown = Reflect.get(bucket, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => call(() => value.apply(bucket, args) as Promise<unknown>);
    },
  });
}

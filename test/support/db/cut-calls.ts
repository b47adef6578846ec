/** Makes a call of a binding, or fails as if the invocation had died. */
export type Call = <T>(run: () => Promise<T>) => Promise<T>;

/**
 * Returns a function through which an invocation makes its calls, of which only the first `cut` take effect. The result of the last
 * of them is lost, and all later calls fail. `count` returns the number of calls.
 */
export function cutCalls(cut: number): { call: Call; count: () => number } {
  let calls = 0;
  const call: Call = async (run) => {
    calls += 1;
    const current = calls;
    const died = new Error("the invocation died");
    if (current > cut) throw died;
    const result = await run();
    if (current === cut) throw died;
    return result;
  };
  return { call, count: () => calls };
}

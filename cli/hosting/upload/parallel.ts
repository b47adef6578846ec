/**
 * Calls `work` for each entry, at most `limit` at a time, in order. After the first error or the end of `signal` it starts no
 * more of them, waits for those that run, and throws the error.
 */
export async function runInParallel<Entry>(
  entries: readonly Entry[],
  limit: number,
  signal: AbortSignal,
  work: (entry: Entry, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const run = async () => {
    for (let index = next++; index < entries.length && !hasFailed; index = next++) {
      try {
        signal.throwIfAborted();
        await work(entries[index] as Entry, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(limit, entries.length) }, run));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

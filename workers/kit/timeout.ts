/** The work did not finish in time. It continues, but its result is ignored. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/**
 * Returns the result of `work`. After `ms` milliseconds of real time it throws the error that `createError` returns, by
 * default a TimeoutError.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  createError: () => Error = () => new TimeoutError(`timed out after ${ms} ms`),
): Promise<T> {
  let stop = () => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), ms);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop();
  }
}

/** The work did not end in time; it goes on unheard. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** The value of `work`, or after `ms` milliseconds of real time what `late` makes: a TimeoutError unless told. */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error = () => new TimeoutError(`no answer in ${ms} ms`),
): Promise<T> {
  let stop = () => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop();
  }
}

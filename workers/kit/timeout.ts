/** The work did not end in time; it goes on unheard. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** The value of `work`, or a TimeoutError after `ms` milliseconds of real time. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let stop = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`no answer in ${ms} ms`)), ms);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}

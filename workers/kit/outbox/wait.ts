/**
 * The delays before retries, all in one unit of time: `delays` after attempt 1, 2, …, and `lastDelay` after every further
 * attempt.
 */
export type BackoffPolicy = { delays: readonly number[]; lastDelay: number };

/**
 * Returns the delay after an attempt (counted from 1): the longer of the policy's delay and `retryAfter`, the delay
 * that the receiver requested.
 */
export function backoffAfter({ delays, lastDelay }: BackoffPolicy, attempt: number, retryAfter = 0): number {
  return Math.max(delays[attempt - 1] ?? lastDelay, retryAfter);
}

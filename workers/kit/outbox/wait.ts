/**
 * The delays before retries, all in one unit of time: `waits` after attempt 1, 2, …, and `lastWait` after every further
 * attempt.
 */
export type WaitPolicy = { waits: readonly number[]; lastWait: number };

/**
 * Returns the delay after an attempt (counted from 1): the longer of the policy's delay and `retryAfter`, the delay
 * that the receiver requested.
 */
export function waitAfter({ waits, lastWait }: WaitPolicy, attempt: number, retryAfter = 0): number {
  return Math.max(waits[attempt - 1] ?? lastWait, retryAfter);
}

/** When failed attempts are repeated; all of one unit of time. `waits`: after attempt 1, 2, …; `later`: after those that follow. */
export type WaitPolicy = { waits: readonly number[]; later: number };

/** The wait after the attempt, counted from 1: the longer of the policy's and `retryAfter`, which the other side asked for. */
export function waitAfter({ waits, later }: WaitPolicy, attempt: number, retryAfter = 0): number {
  return Math.max(waits[attempt - 1] ?? later, retryAfter);
}

/**
 * When failed attempts are repeated; all of one unit of time. `waits`: after attempt 1, 2, …; `later`: after those that
 * follow. `asked`: a wait that the other side asked for stands instead of the own one, or is the least.
 */
export type WaitPolicy = { waits: readonly number[]; later: number; asked: "instead" | "least" };

/** The wait after the attempt, counted from 1; `askedFor`: what the other side asked for, if it did. */
export function waitAfter({ waits, later, asked }: WaitPolicy, attempt: number, askedFor?: number): number {
  const own = waits[attempt - 1] ?? later;
  if (askedFor === undefined) return own;
  return asked === "instead" ? askedFor : Math.max(own, askedFor);
}

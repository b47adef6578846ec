/** The only source of time: unix milliseconds. */
export type Clock = { now(): number };

/** The clock of this isolate. A mutable record: tests replace `now`. */
export const clock: Clock = { now: () => Date.now() };

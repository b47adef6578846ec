/** The only source of time, in unix milliseconds. */
export type Clock = { now(): number };

/** The clock of this isolate. It is mutable so that tests can replace `now`. */
export const clock: Clock = { now: () => Date.now() };

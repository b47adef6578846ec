/** Errors of an API, and what a run does about them: whether it stops, and how long it waits first (ms) */
export const failures = [
  { failure: { when: "before", status: 429, times: 1, retryAfter: 7 }, isStopped: false, waited: 7000 },
  { failure: { when: "after", status: 502, times: 1 }, isStopped: false, waited: 500 },
  { failure: { when: "before", status: 503, times: 5 }, isStopped: true, waited: 500 },
] as const;

/** How long the object of a limit may take, in ms; its caller decides without it then (docs/specification/rate-limits.md). */
export const LIMITER_TIMEOUT_MS = 500;

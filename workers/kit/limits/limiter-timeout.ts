/**
 * The timeout for a call to a rate limiter object in ms. After it the caller decides without the object
 * (docs/specification/rate-limits.md).
 */
export const LIMITER_TIMEOUT_MS = 500;

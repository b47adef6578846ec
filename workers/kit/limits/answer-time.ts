/**
 * The timeout for a rate limit object in ms; after it the caller decides without the object
 * (docs/specification/rate-limits.md).
 */
export const LIMITER_TIMEOUT_MS = 500;

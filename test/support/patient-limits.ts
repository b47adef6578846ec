/**
 * Replaces workers/kit/limits/limiter-timeout.ts in tests of services: on a busy machine the rate limiter's Durable Object
 * may respond after the production timeout, and the fallback counts differently. Tests of the rate limiter use the real
 * timeout.
 */
export const LIMITER_TIMEOUT_MS = 10_000;

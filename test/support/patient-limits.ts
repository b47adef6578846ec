/**
 * Replaces workers/kit/limits/answer-time.ts in tests of services: on a busy machine a Durable Object may take longer
 * than a deployment waits, and the fallback counts differently. Tests of the limiter use the real timeout.
 */
export const LIMITER_TIMEOUT_MS = 10_000;

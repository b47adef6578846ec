/**
 * Stands for workers/kit/limits/answer-time.ts in tests of services: on a busy machine an object may take longer than a
 * deployment waits, and what decides then counts otherwise. Tests of the limiter itself keep the true time.
 */
export const LIMITER_TIMEOUT_MS = 10_000;

export { JobLock } from "../../../workers/kit/jobs/lock/job-lock";
export { RateLimiter } from "../../../workers/kit/limits/rate-limiter";

// The tests use the Durable Objects through their bindings; no request is served.
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;

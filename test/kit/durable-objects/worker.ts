export { JobLock } from "../../../workers/kit/jobs/lock/job-lock";
export { RateLimiter } from "../../../workers/kit/limits/rate-limiter";

// The tests reach the objects by their binding; nothing is served.
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;

export { JobLock } from "../../../workers/kit/jobs/lock/job-lock";
export { RateLimiter } from "../../../workers/kit/limits/rate-limiter";

// The tests call the Durable Objects through their bindings, so this Worker handles no requests.
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;

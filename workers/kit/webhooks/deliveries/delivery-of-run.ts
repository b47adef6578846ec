import type { DeliveriesOfRun } from "../../jobs/api/api";
import { iso } from "../../time";
import { listAttemptsOfRun, listPostsOfRun } from "./delivery-of-run.store";

/** Maximum number of attempts, and of posts, that a run shows. */
const MAX_LISTED = 100;

const reads = (run: number | null) => ({
  attempts: listAttemptsOfRun({ run, limit: MAX_LISTED + 1 }),
  posts: listPostsOfRun({ run, limit: MAX_LISTED + 1 }),
});

/** Reads the delivery attempts of a run, and its posts of events to the email service, for staff. */
export const deliveriesOfRun: DeliveriesOfRun<ReturnType<typeof reads>> = {
  reads,
  present: ({ attempts, posts }) => ({
    webhook_delivery_attempts: attempts.rows
      .slice(0, MAX_LISTED)
      .map((attempt) => ({ ...attempt, created_at: iso(attempt.created_at) })),
    webhook_delivery_attempts_truncated: attempts.rows.length > MAX_LISTED,
    email_events: posts.rows.slice(0, MAX_LISTED).map((post) => ({ ...post, delivered_at: iso(post.delivered_at) })),
    email_events_truncated: posts.rows.length > MAX_LISTED,
  }),
};

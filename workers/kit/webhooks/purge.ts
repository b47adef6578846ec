import { agedRows, type PurgeTarget } from "../jobs/purge.job";

type Cut<S> = (services: S, now: number) => number;

const DAY_MS = 86_400_000;
/** A host without a failure for so long is one of those that answer. */
const HOST_DAYS = 7;
const IS_FINISHED = "status IN ('delivered','dead')";

/** Finished deliveries of webhooks and callbacks older than the cut (unix ms); their attempts go with them (3.6, point 1). */
export function finishedWebhooks<S>(cut: Cut<S>): PurgeTarget<S> {
  const select = (kind: string, bound: string) =>
    `SELECT seq FROM action_deliveries WHERE ${IS_FINISHED} AND kind = '${kind}' AND created_at < ${bound}`;
  return {
    name: "webhook_deliveries",
    table: "action_deliveries",
    find: (bound) => `${select("webhook", bound("cut"))} UNION ALL ${select("callback", bound("cut"))}`,
    bounds: (services, now) => ({ cut: cut(services, now) }),
    cascades: true,
  };
}

/** Finished posts to the email service older than the cut (unix ms). */
export function finishedEmailPosts<S>(cut: Cut<S>): PurgeTarget<S> {
  return agedRows({
    name: "email_events",
    table: "action_deliveries",
    column: "created_at",
    terms: `${IS_FINISHED} AND kind = 'email'`,
    cut,
    cascades: true,
  });
}

/** Hosts without a failure for 7 days; not counted. */
export const quietHosts: PurgeTarget<unknown> = agedRows({
  name: "action_hosts",
  table: "action_hosts",
  column: "last_failure_at",
  cut: (_services, now) => now - HOST_DAYS * DAY_MS,
  isCounted: false,
});

/** Secrets that a rotation left for a while, once that is over; not counted. */
export const endedSecrets: PurgeTarget<unknown> = {
  ...agedRows({
    name: "previous_secrets",
    table: "action_rules",
    column: "previous_secret_expires_at",
    terms: "previous_secret_expires_at IS NOT NULL",
    cut: (_services, now) => now,
    isCounted: false,
  }),
  clears: "previous_secret_enc = NULL, previous_secret_expires_at = NULL",
};

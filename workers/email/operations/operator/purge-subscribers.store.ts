import { type SQL, sql } from "drizzle-orm";
import { newsletters, subscribers } from "../../../../db/email/schema";
import { assignments } from "../../../kit/db/query";
import type { PurgeTarget } from "../../../kit/jobs/purge/purge.store";
import { DAY_MS } from "../../../kit/time";

type Services = { settings: { newsletters: { pendingDays: number } } };
type Bound = (name: string) => SQL;

const { id, list_id, status, created_at, mailed_at, unsubscribed_at, cleared_at, token_expires_at, consent } =
  subscribers;

/** An imported person waits at most this time for the confirmation mail, for example while the company has no sender. */
const MAX_WAIT_MS = 90 * DAY_MS;

const bounds = ({ settings }: Services, now: number) => ({
  now,
  cutoff: now - settings.newsletters.pendingDays * DAY_MS,
});

// A person who asked again gets the time of the last confirmation mail to confirm.
const hasNoOpenLink = (bound: Bound) => sql`(${token_expires_at} is null or ${token_expires_at} < ${bound("now")})`;

// The time to confirm begins with the mail. An import waits for the pace of the company, which may take longer than that time.
const isOver = (bound: Bound) =>
  sql`(${mailed_at} < ${bound("cutoff")} or ${mailed_at} is null and ${created_at} < ${bound("unmailed")})`;

/** Subscribers who did not confirm in time. The counters of their newsletters follow. */
export const unconfirmedSubscribers: PurgeTarget<Services> = {
  name: "unconfirmed_subscribers",
  table: subscribers,
  key: [id],
  find: (
    bound,
  ) => sql`select ${id} from ${subscribers} where ${status} = 'pending' and ${created_at} < ${bound("cutoff")}
    and ${isOver(bound)} and ${hasNoOpenLink(bound)} order by ${created_at}, ${id}`,
  bounds: (services, now) => ({ ...bounds(services, now), unmailed: now - MAX_WAIT_MS }),
  precededBy: (keys, holdsLock) => {
    const change = assignments(newsletters, { pending: sql`${newsletters.pending} - gone.subscribers` });
    return sql`update ${newsletters} set ${change}
      from (select ${list_id} as list_id, count(*) as subscribers from ${subscribers} where ${id} in (${keys}) group by ${list_id}) gone
      where ${newsletters.id} = gone.list_id and ${holdsLock}`;
  },
};

/**
 * Addresses, names and hashes of network addresses of people who unsubscribed. The hash of the address and the status stay, so
 * that an import does not subscribe them again; time and text of the consent stay as its proof.
 */
export const leftSubscribers: PurgeTarget<Services> = {
  name: "wiped_subscribers",
  table: subscribers,
  key: [id],
  find: (bound) => sql`select ${id} from ${subscribers} where ${status} = 'unsubscribed' and ${cleared_at} is null
    and ${unsubscribed_at} < ${bound("cutoff")} and ${hasNoOpenLink(bound)} order by ${unsubscribed_at}, ${id}`,
  bounds,
  clears: (bound) =>
    assignments(subscribers, {
      email_enc: null,
      first_name_enc: null,
      token_hash: null,
      token_expires_at: null,
      consent: sql`json_set(${consent}, '$.ip_hash', null)`,
      cleared_at: bound("now"),
    }),
};

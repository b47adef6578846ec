import { eq, type SQL, sql } from "drizzle-orm";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import { event_log, subscribers, unsubscribes } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import { insertSelect, isInList, jsonEach } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { countAsUnsubscribed, endSubscriptions, type SubscriptionEvent } from "./subscription.store";

const { company_id, email_hmac, list_id, status } = subscribers;

/** The category of the newsletter of a subscriber. */
const category = sql<string>`'list-' || ${list_id}`;

const ids = json<readonly number[]>();

/** The condition on the listed subscribers that have not unsubscribed. */
const isLeft = (listed: SQL<readonly number[]>): SQL =>
  sql`${isInList(subscribers.id, listed)} and ${status} <> 'unsubscribed'`;

const countLeft = statement({ ids }, (p) => countAsUnsubscribed(isLeft(p.ids)));

const leave = statement({ ids, now: integer }, (p) => endSubscriptions(isLeft(p.ids), p.now));

const insertUnsubscribes = statement({ ids, source: unsubscribes.source, now: integer }, (p) =>
  insertSelect(
    unsubscribes,
    { company_id, email_hmac, category, source: p.source, created_at: p.now },
    sql`from ${subscribers} where ${isLeft(p.ids)} on conflict do nothing`,
  ),
);

const events = json<readonly SubscriptionEvent[]>();

function insertEvents(p: { events: SQL<readonly SubscriptionEvent[]>; now: SQL<number> }, condition: SQL): SQL {
  const { from, item } = jsonEach(p.events);
  return insertSelect(
    event_log,
    eventColumns(item, { company_id, email_hmac }, p.now),
    sql`from ${from} cross join ${subscribers} on ${eq(subscribers.id, item.subscriberId)}
      where ${condition} on conflict do nothing`,
  );
}

const insertFirstEvents = statement({ events, now: integer }, (p) =>
  insertEvents(
    p,
    sql`${status} <> 'unsubscribed' and not exists (select 1 from ${unsubscribes}
      where ${unsubscribes.company_id} = ${company_id} and ${unsubscribes.email_hmac} = ${email_hmac} and ${unsubscribes.category} = ${category})`,
  ),
);

const insertLeftEvents = statement({ events, now: integer }, (p) => insertEvents(p, sql`${status} = 'confirmed'`));

/** The subscriptions of an address in a company that end together, with the events of their unsubscribes and of their ends. */
export type EndedSubscriptions = {
  companyId: number;
  created: readonly SubscriptionEvent[];
  left: readonly SubscriptionEvent[];
};

/**
 * Ends subscriptions and stores an unsubscribe from each of their newsletters, with the events. A repeated call changes nothing
 * and stores no event. `now` is in ms since the epoch.
 */
export async function insertNewsletterUnsubscribes(
  context: WebhooksContext,
  db: Db,
  { companyId, created, left }: EndedSubscriptions,
  source: string,
  now: number,
): Promise<void> {
  if (left.length === 0) return;
  const listed = left.map(({ subscriberId }) => subscriberId);
  // Each statement reads the status that `leave` changes, so that one is the last.
  const statements = {
    created: insertFirstEvents({ events: created, now }),
    left: insertLeftEvents({ events: left, now }),
    counted: countLeft({ ids: listed }),
    unsubscribed: insertUnsubscribes({ ids: listed, source, now }),
    ended: leave({ ids: listed, now }),
  };
  const keys = [...created, ...left].map(({ event_id: id }) => ({ id, company_id: companyId }));
  await batchWithEvents(context, db, statements, keys);
}

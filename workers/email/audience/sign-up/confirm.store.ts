import { and, eq, gt, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import type { BrandingRow } from "../../../../db/email/rows";
import {
  brandings,
  company_profiles,
  event_log,
  newsletters,
  subscribers,
  unsubscribes,
} from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, text } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, type SelectedRow, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";

const { company_id, email_hmac, list_id, status, token_expires_at, email_enc } = subscribers;

const tokenHash = text;

const pending = {
  id: subscribers.id,
  company_id,
  list_id,
  status,
  language: subscribers.language,
  source: subscribers.source,
  email_enc,
  email_masked: subscribers.email_masked,
  seal_id: subscribers.seal_id,
  token_expires_at,
  text_version: subscribers.text_version,
  list_name: sql<string>`${newsletters.name}`.mapWith(newsletters.name),
  confirmed_redirect_url: newsletters.confirmed_redirect_url,
};

/** The subscriber of a confirmation link, with the newsletter. */
export type LinkedSubscriber = SelectedRow<typeof pending>;

const findByToken = statement({ tokenHash }, (p) =>
  selectRows(
    pending,
    (columns) => sql`select ${columns} from ${subscribers} cross join ${newsletters} on ${newsletters.id} = ${list_id}
      where ${subscribers.token_hash} = ${p.tokenHash} and ${isNotNull(subscribers.token_hash)}`,
  ),
);

const companyOf = (hash: SQL) =>
  sql`(select ${company_id} from ${subscribers} where ${subscribers.token_hash} = ${hash} and ${isNotNull(subscribers.token_hash)})`;

const findName = statement({ tokenHash }, (p) =>
  queryBuilder
    .select({ name: company_profiles.name })
    .from(company_profiles)
    .where(eq(company_profiles.company_id, companyOf(p.tokenHash))),
);

const findBranding = statement({ tokenHash }, (p) =>
  queryBuilder
    .select(allColumns(brandings))
    .from(brandings)
    .where(eq(brandings.company_id, companyOf(p.tokenHash))),
);

/** The subscriber of a confirmation link, with the look of the company. */
export type ConfirmationLink = {
  subscriber: LinkedSubscriber;
  companyName: string | null;
  branding: BrandingRow | null;
};

/** Reads the subscriber of a confirmation link in one round trip; null when no stored token has this hash. */
export async function findConfirmationLink(db: Db, hash: string): Promise<ConfirmationLink | null> {
  const { subscriber, name, branding } = await db.batch({
    subscriber: findByToken({ tokenHash: hash }),
    name: findName({ tokenHash: hash }),
    branding: findBranding({ tokenHash: hash }),
  });
  if (subscriber.first === null) return null;
  return { subscriber: subscriber.first, companyName: name.first?.name ?? null, branding: branding.first };
}

const confirmation = { id: subscribers.id, tokenHash, now: integer };

/** The condition that a link still confirms: the same token, which has not expired, of a subscriber who is not confirmed. */
const isConfirmable = (p: { id: SQL<number>; tokenHash: SQL<string>; now: SQL<number> }): SQL =>
  sql`${and(eq(subscribers.id, p.id), eq(subscribers.token_hash, p.tokenHash), ne(status, "confirmed"), gt(token_expires_at, p.now), isNotNull(email_enc))}`;

const insertEvent = statement(
  {
    ...confirmation,
    event_id: event_log.id,
    type: event_log.event_type,
    data: event_log.data,
    envelope: event_log.data,
  },
  (p) =>
    insertSelect(
      event_log,
      eventColumns(p, { company_id, email_hmac }, p.now),
      sql`from ${subscribers} where ${isConfirmable(p)} on conflict do nothing`,
    ),
);

const countConfirmed = statement(confirmation, (p) => {
  const isIn = (state: string) =>
    sql`exists (select 1 from ${subscribers} where ${isConfirmable(p)} and ${status} = ${sql.raw(`'${state}'`)})`;
  return queryBuilder
    .update(newsletters)
    .set({
      pending: sql`${newsletters.pending} - ${isIn("pending")}`,
      unsubscribed: sql`${newsletters.unsubscribed} - ${isIn("unsubscribed")}`,
      confirmed: sql`${newsletters.confirmed} + 1`,
    })
    .where(sql`${newsletters.id} = (select ${list_id} from ${subscribers} where ${isConfirmable(p)})`);
});

// The confirmation is newer than the unsubscribe from this newsletter.
const removeUnsubscribe = statement(
  confirmation,
  (
    p,
  ) => sql`delete from ${unsubscribes} where ${unsubscribes.id} = (select ${unsubscribes.id} from ${subscribers} cross join ${unsubscribes}
    on ${unsubscribes.company_id} = ${company_id} and ${unsubscribes.email_hmac} = ${email_hmac} and ${unsubscribes.category} = 'list-' || ${list_id}
    where ${isConfirmable(p)})`,
);

const confirm = statement({ ...confirmation, consent: subscribers.consent }, (p) =>
  queryBuilder
    .update(subscribers)
    .set({ status: "confirmed", confirmed_at: p.now, unsubscribed_at: null, cleared_at: null, consent: p.consent })
    .where(isConfirmable(p)),
);

/** A confirmation with the event, which is stored only if the subscriber changes. `now` is in unix ms. */
export type Confirmation = {
  id: number;
  companyId: number;
  tokenHash: string;
  consent: NonNullable<typeof subscribers.$inferSelect.consent>;
  event: Record<"event_id" | "type" | "data" | "envelope", string>;
  now: number;
};

/**
 * Confirms a subscription in one transaction and returns the subscriber after it. Only the first of several calls changes the row
 * and stores the event.
 */
export async function storeConfirmation(
  context: WebhooksContext,
  db: Db,
  { id, companyId, tokenHash: hash, consent, event, now }: Confirmation,
): Promise<LinkedSubscriber | null> {
  const target = { id, tokenHash: hash, now };
  const statements = {
    event: insertEvent({ ...event, ...target }),
    counted: countConfirmed(target),
    unsubscribe: removeUnsubscribe(target),
    confirmed: confirm({ ...target, consent }),
    stored: findByToken({ tokenHash: hash }),
  };
  const { stored } = await batchWithEvents(context, db, statements, [{ id: event.event_id, company_id: companyId }]);
  return stored.first;
}

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { newsletters, subscribers, suppressions, unsubscribes } from "../../../../db/email/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  insertSelect,
  isInList,
  jsonEach,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(subscribers);
const { id, list_id, company_id, email_hmac, status } = subscribers;
const hashes = json<readonly string[]>();

const page = { listId: list_id, status: nullable(status), beforeId: id, limit: integer, offset: integer };
const STATUSES = ["pending", "confirmed", "unsubscribed"] as const;

/**
 * Returns the scans for the ids of a newsletter's subscribers, one per status, because the index sorts by status before the id. With an
 * order by id, SQLite merges the scans and ends after the page.
 */
const scansOf = (listId: SQL, conditionOf: (value: SQL) => SQL) =>
  sql.join(
    STATUSES.map((name) => {
      const value = sql.raw(`'${name}'`);
      return sql`select ${id} as id from ${subscribers} where ${list_id} = ${listId} and ${status} = ${value} and ${conditionOf(value)}`;
    }),
    sql` union all `,
  );

/** Statement: one page of the subscribers of a newsletter, newest first; `status` null: all. */
export const listSubscribers = statement(page, (p) => {
  const scans = scansOf(
    p.listId,
    (value) => sql`${id} < ${p.beforeId} and (${p.status} is null or ${p.status} = ${value})`,
  );
  return selectRows(
    columns,
    (selected) => sql`select ${selected} from (${scans} order by id desc limit ${p.limit} offset ${p.offset}) n
      cross join ${subscribers} on ${id} = n.id order by ${id} desc`,
  );
});

/** Statement: the subscribers of a newsletter with an address, by its hashes; `status` null: any. */
export const listSubscribersOf = statement(
  {
    companyId: company_id,
    listId: list_id,
    hashes,
    ...{ status: page.status, beforeId: id, limit: integer, offset: integer },
  },
  (p) =>
    selectRows(
      columns,
      (
        selected,
      ) => sql`select ${selected} from ${subscribers} where ${company_id} = ${p.companyId} and ${isInList(email_hmac, p.hashes)}
      and ${list_id} = ${p.listId} and (${p.status} is null or ${status} = ${p.status}) and ${id} < ${p.beforeId}
      order by ${id} desc limit ${p.limit} offset ${p.offset}`,
    ),
);

/** Statement: the next subscribers of a newsletter after an id, oldest first. */
export const nextSubscribers = statement({ listId: list_id, afterId: id, limit: integer }, (p) => {
  const scans = scansOf(p.listId, () => sql`${id} > ${p.afterId}`);
  return selectRows(
    columns,
    (selected) => sql`select ${selected} from (${scans} order by id limit ${p.limit}) n
      cross join ${subscribers} on ${id} = n.id order by ${id}`,
  );
});

const ofList = { id, listId: list_id };

/** Statement: a subscriber of a newsletter. */
export const findSubscriber = statement(ofList, (p) =>
  queryBuilder.select(columns).from(subscribers).where(sql`${id} = ${p.id} and ${list_id} = ${p.listId}`),
);

const address = { companyId: company_id, listId: list_id, hashes };
const isAddress = (p: { companyId: SQL<number>; listId: SQL<number>; hashes: SQL<readonly string[]> }) =>
  sql`${company_id} = ${p.companyId} and ${isInList(email_hmac, p.hashes)} and ${list_id} = ${p.listId}`;

/** Statement: the subscriber with an address, by its hashes. */
export const findSubscriberOf = statement(address, (p) =>
  selectRows(columns, (selected) => sql`select ${selected} from ${subscribers} where ${isAddress(p)} limit 1`),
);

const counter = (name: (typeof STATUSES)[number]) => newsletters[name];

// Decrements the counter of the status that the subscriber had. It must run before the statement that deletes the row.
const uncount = statement(ofList, (p) => {
  const change = assignments(
    newsletters,
    Object.fromEntries(
      STATUSES.map((value) => [
        value,
        sql`${counter(value)} - (select ${status} = ${sql.raw(`'${value}'`)} from ${subscribers} where ${id} = ${p.id})`,
      ]),
    ),
  );
  return sql`update ${newsletters} set ${change} where ${newsletters.id} = ${p.listId}
    and exists (select 1 from ${subscribers} where ${id} = ${p.id} and ${list_id} = ${p.listId})`;
});

const remove = statement(
  ofList,
  (p) => sql`delete from ${subscribers} where ${id} = ${p.id} and ${list_id} = ${p.listId}`,
);

/** Returns the statements that delete a subscriber, with the counters. */
export const removeSubscriber = (values: { id: number; listId: number }) => ({
  uncounted: uncount(values),
  removed: remove(values),
});

/** An address to add. `hashes` are the hashes of the address, one per pepper, the current one first. */
export type AddressItem = { email_hmac: string; hashes: readonly string[] };

/** A subscriber to add. */
export type NewSubscriber = Pick<
  typeof subscribers.$inferSelect,
  "email_hmac" | "email_enc" | "email_masked" | "first_name_enc" | "seal_id" | "language"
>;

const newItems = json<readonly NewSubscriber[]>();

/** What is known about an address before it is added to a newsletter. */
export type AddressState = {
  email_hmac: string;
  status: (typeof STATUSES)[number] | null;
  /** whether the limits allow another confirmation mail */
  can_mail: number;
  suppressed: number;
  unsubscribed: number;
};

const items = json<readonly AddressItem[]>();

/** Statement: the addresses that are stored, suppressed or unsubscribed. Other addresses have no row. `lanes`: JSON list of lanes. */
export const findAddressStates = statement(
  {
    ...{ items, companyId: company_id, listId: list_id, now: integer, resendMs: integer, perDay: integer },
    ...{ dayMs: integer, lanes: json<readonly string[]>(), categories: json<readonly string[]>() },
  },
  (p) => {
    const { from, item } = jsonEach(p.items);
    const own = sql`(select value from json_each(${item.hashes}))`;
    const hasSuppression = sql`exists (select 1 from ${suppressions} where ${suppressions.company_id} = ${p.companyId} and ${suppressions.email_hmac} in ${own}
      and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${p.now}) and (${suppressions.lanes} = '[]'
        or exists (select 1 from json_each(${suppressions.lanes}) l where l.value in (select value from json_each(${p.lanes})))))`;
    const hasUnsubscribe = sql`exists (select 1 from ${unsubscribes} where ${unsubscribes.company_id} = ${p.companyId} and ${unsubscribes.email_hmac} in ${own}
      and ${unsubscribes.category} in (select value from json_each(${p.categories})))`;
    const canMail = sql`coalesce((${columns.mailed_at} is null or ${columns.mailed_at} <= ${p.now} - ${p.resendMs})
      and (${p.perDay} = 0 or ${columns.mail_day} is null or ${columns.mail_day} <= ${p.now} - ${p.dayMs} or ${columns.mail_count} < ${p.perDay}), 1)`;
    const states = sql`select ${item.email_hmac} as hash, ${status} as status, ${canMail} as can_mail, ${hasSuppression} as suppressed,
      ${hasUnsubscribe} as unsubscribed from ${from} left join ${subscribers} on ${company_id} = ${p.companyId} and ${email_hmac} = ${item.email_hmac}
      and ${list_id} = ${p.listId}`;
    return selectRows(
      {
        email_hmac: sql`hash`.mapWith(text),
        status: sql`status`.mapWith(nullable(status)) as SQL<AddressState["status"]>,
        ...{ can_mail: sql`can_mail`.mapWith(integer), suppressed: sql`suppressed`.mapWith(integer) },
        unsubscribed: sql`unsubscribed`.mapWith(integer),
      },
      (selected) => sql`select ${selected} from (${states}) where status is not null or suppressed or unsubscribed`,
    );
  },
);

const renewHashesOf = statement({ items, companyId: company_id, listId: list_id }, (p) => {
  const { from, item } = jsonEach(p.items);
  return sql`update or ignore ${subscribers} set ${columnName(email_hmac)} = ${item.email_hmac} from ${from}
    where ${company_id} = ${p.companyId} and ${list_id} = ${p.listId}
      and ${email_hmac} in (select value from json_each(${item.hashes})) and ${email_hmac} <> ${item.email_hmac}`;
});

/** Statement: give subscribers whose hash is from before a change of the pepper the current hash. */
export const renewAddresses = renewHashesOf;

const add = statement(
  {
    items: newItems,
    companyId: company_id,
    listId: list_id,
    source: subscribers.source,
    status,
    now: integer,
    confirmedAt: nullable(integer),
  },
  (p) => {
    const { from, item } = jsonEach(p.items);
    const { email_enc, email_masked, first_name_enc, seal_id, language } = item;
    return insertSelect(
      subscribers,
      {
        list_id: p.listId,
        company_id: p.companyId,
        email_hmac: item.email_hmac,
        ...{ email_enc, email_masked, first_name_enc, seal_id, language },
        status: p.status,
        source: p.source,
        created_at: p.now,
        confirmed_at: p.confirmedAt,
      },
      sql`from ${from} where exists (select 1 from ${newsletters} where ${newsletters.id} = ${p.listId} and ${newsletters.company_id} = ${p.companyId})
        on conflict do nothing`,
    );
  },
);

const countAdded = (name: "pending" | "confirmed") =>
  statement(
    { listId: newsletters.id },
    (p) => sql`update ${newsletters}
    set ${columnName(counter(name))} = ${counter(name)} + changes() where ${newsletters.id} = ${p.listId} and changes() > 0`,
  );
const countAddedPending = countAdded("pending");
const countAddedConfirmed = countAdded("confirmed");

type Added = {
  items: readonly NewSubscriber[];
  companyId: number;
  listId: number;
  source: "admin" | "import";
  now: number;
};

/** Returns the statement that adds subscribers with this status and counts them. Stored addresses stay as they are. */
export function addSubscribers(added: Added, newStatus: "pending" | "confirmed") {
  const confirmedAt = newStatus === "confirmed" ? added.now : null;
  const count = newStatus === "confirmed" ? countAddedConfirmed : countAddedPending;
  return followedBy(add({ ...added, status: newStatus, confirmedAt }), count({ listId: added.listId }));
}

const confirm = statement({ hashes, companyId: company_id, listId: list_id, now: integer }, (p) => {
  // The token stays, so that the link of a confirmation mail shows that the person is subscribed.
  const change = assignments(subscribers, { status: "confirmed", confirmed_at: p.now });
  return sql`update ${subscribers} set ${change} where ${isAddress(p)} and ${status} = 'pending'`;
});

const countConfirmed = statement({ listId: newsletters.id }, (p) => {
  const change = assignments(newsletters, {
    pending: sql`${newsletters.pending} - changes()`,
    confirmed: sql`${newsletters.confirmed} + changes()`,
  });
  return sql`update ${newsletters} set ${change} where ${newsletters.id} = ${p.listId} and changes() > 0`;
});

/** Returns the statement that confirms the pending subscribers with these hashes and counts them. */
export const confirmPending = (values: Parameters<typeof confirm>[0]) =>
  followedBy(confirm(values), countConfirmed({ listId: values.listId }));

/** Statement: make pending subscribers get a confirmation mail again. The limits of the address stay. */
export const requestMails = statement({ hashes, companyId: company_id, listId: list_id }, (p) => {
  const change = assignments(subscribers, { mailed_at: null });
  return sql`update ${subscribers} set ${change} where ${isAddress(p)} and ${status} = 'pending'`;
});

/** Statement: the first step of confirmation mails of a newsletter is due at `at` (unix ms), if a subscriber waits for one. */
export const scheduleMails = statement({ listId: newsletters.id, at: integer }, (p) => {
  const isWaiting = sql`exists (select 1 from ${subscribers} where ${list_id} = ${p.listId} and ${status} = 'pending' and ${columns.mailed_at} is null)`;
  return sql`update ${newsletters} set ${assignments(newsletters, { confirm_at: sql`iif(${isWaiting}, ${p.at}, null)` as SQLWrapper })}
    where ${newsletters.id} = ${p.listId}`;
});

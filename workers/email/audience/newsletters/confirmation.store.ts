import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { type ItemColumns, messageValues, type SharedColumns } from "../../../../db/email/conditions/new-messages";
import {
  messages,
  newsletters,
  subscribers,
  suppressions,
  template_versions,
  templates,
  unsubscribes,
} from "../../../../db/email/schema";
import { boolean, integer, json, text } from "../../../kit/db/kind";
import { assignments, columnName, insertSelect, jsonEach, jsonMembers, selectRows } from "../../../kit/db/query";
import { followedBy, statement } from "../../../kit/db/statement";
import { DAY_MS } from "../../../kit/time";

/** A subscriber who is asked to confirm. `hashes` are the hashes of the address, one per pepper. */
export type ConfirmationItem = {
  email_hmac: string;
  hashes: readonly string[];
  /** null: the subscriber is stored already, and its address, name and language stay */
  contact: {
    email_enc: string;
    email_masked: string;
    first_name_enc: string | null;
    seal_id: string;
    language: "en" | "fr";
    source: "form" | "admin" | "import";
  } | null;
  token_hash: string;
  text_version: string;
};

/** The message of an item, which is stored only when the item may get a mail. */
export type ConfirmationMessage = ItemColumns & { token_hash: string };

const items = json<readonly ConfirmationItem[]>();
const list = { listId: subscribers.list_id, companyId: subscribers.company_id };
type ListParameters = { listId: SQL<number>; companyId: SQL<number> };

const contactOf = (item: { contact: SQL<ConfirmationItem["contact"]> }) =>
  jsonMembers(item.contact as SQL<NonNullable<ConfirmationItem["contact"]>>);
const hashesOf = (item: { hashes: SQLWrapper }) => sql`(select value from json_each(${item.hashes}))`;

/** SQL condition: mail for newsletters may be sent to the address with these hashes. */
export const isMailable = (hashes: SQLWrapper, { companyId, now }: { companyId: SQLWrapper; now: SQLWrapper }): SQL =>
  sql`(not exists (select 1 from ${suppressions} where ${suppressions.company_id} = ${companyId}
      and ${suppressions.email_hmac} in ${hashes} and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${now})
      and (${suppressions.lanes} = '[]' or exists (select 1 from json_each(${suppressions.lanes}) l where l.value in ('transactional', 'bulk'))))
    and not exists (select 1 from ${unsubscribes} where ${unsubscribes.company_id} = ${companyId}
      and ${unsubscribes.email_hmac} in ${hashes} and ${unsubscribes.category} = 'transactional'))`;

/** The limits of confirmation mails to one subscriber. 0 disables a limit. */
const limits = { resendMs: integer, perDay: integer };

/** SQL condition: the limits of a subscriber allow another confirmation mail. */
export const isBelowLimits = (p: { now: SQLWrapper; resendMs: SQLWrapper; perDay: SQLWrapper }): SQL =>
  sql`((${subscribers.mailed_at} is null or ${subscribers.mailed_at} <= ${p.now} - ${p.resendMs})
    and (${p.perDay} = 0 or ${subscribers.mail_day} is null or ${subscribers.mail_day} <= ${p.now} - ${DAY_MS} or ${subscribers.mail_count} < ${p.perDay}))`;

/** Statement: give subscribers whose hash is from before a change of the pepper the current hash. */
export const renewHashes = statement({ items, ...list }, (p) => {
  const { from, item } = jsonEach(p.items);
  return sql`update or ignore ${subscribers} set ${columnName(subscribers.email_hmac)} = ${item.email_hmac} from ${from}
    where ${subscribers.company_id} = ${p.companyId} and ${subscribers.list_id} = ${p.listId}
      and ${subscribers.email_hmac} in ${hashesOf(item)} and ${subscribers.email_hmac} <> ${item.email_hmac}`;
});

const isNewDay = (now: SQLWrapper) =>
  sql`(${subscribers.mail_day} is null or ${subscribers.mail_day} <= ${now} - ${DAY_MS})`;

/**
 * Statement: store the new token of stored subscribers who may get a mail. Confirmed subscribers do not change. A person who
 * unsubscribed stays so until they confirm. `isFirst` selects only subscribers who never got a mail.
 */
export const renewTokens = statement(
  { items, ...list, ...limits, isFirst: boolean, now: integer, expiresAt: integer },
  (p) => {
    const { from, item } = jsonEach(p.items);
    const contact = contactOf(item);
    const { email_enc, email_masked, first_name_enc, seal_id, language, source } = subscribers;
    const unlessKept = (column: SQLWrapper, value: SQLWrapper) =>
      sql`iif(${contact.email_enc} is null, ${column}, ${value})`;
    const change = assignments(subscribers, {
      email_enc: unlessKept(email_enc, contact.email_enc),
      email_masked: unlessKept(email_masked, contact.email_masked),
      first_name_enc: unlessKept(first_name_enc, contact.first_name_enc),
      seal_id: unlessKept(seal_id, contact.seal_id),
      language: unlessKept(language, contact.language),
      source: unlessKept(source, contact.source),
      token_hash: item.token_hash,
      token_expires_at: p.expiresAt,
      text_version: item.text_version,
      mail_count: sql`iif(${isNewDay(p.now)}, 1, ${subscribers.mail_count} + 1)`,
      mail_day: sql`iif(${isNewDay(p.now)}, ${p.now}, ${subscribers.mail_day})`,
      mailed_at: p.now,
      cleared_at: null,
    });
    return sql`update ${subscribers} set ${change} from ${from}
      where ${subscribers.company_id} = ${p.companyId} and ${subscribers.email_hmac} = ${item.email_hmac} and ${subscribers.list_id} = ${p.listId}
        and ${subscribers.status} in ('pending', 'unsubscribed') and ${subscribers.token_hash} is not ${item.token_hash}
        and (not ${p.isFirst} or ${subscribers.mailed_at} is null)
        and ${isBelowLimits(p)} and ${isMailable(hashesOf(item), p)}`;
  },
);

const insertSubscribers = statement({ items, ...list, now: integer, expiresAt: integer }, (p) => {
  const { from, item } = jsonEach(p.items);
  const { email_enc, email_masked, first_name_enc, seal_id, language, source } = contactOf(item);
  return insertSelect(
    subscribers,
    {
      list_id: p.listId,
      company_id: p.companyId,
      email_hmac: item.email_hmac,
      ...{ email_enc, email_masked, first_name_enc, seal_id, language, source },
      status: "pending",
      token_hash: item.token_hash,
      token_expires_at: p.expiresAt,
      text_version: item.text_version,
      mail_count: 1,
      mail_day: p.now,
      mailed_at: p.now,
      created_at: p.now,
    },
    sql`from ${from} where ${isMailable(hashesOf(item), p)}
      and exists (select 1 from ${newsletters} where ${newsletters.id} = ${p.listId} and ${newsletters.company_id} = ${p.companyId})
      on conflict do nothing`,
  );
});

const countPending = statement(
  { listId: newsletters.id },
  (p) => sql`update ${newsletters}
  set ${columnName(newsletters.pending)} = ${newsletters.pending} + changes() where ${newsletters.id} = ${p.listId} and changes() > 0`,
);

/** Returns the statement that inserts new pending subscribers and counts them. Existing rows stay. */
export const insertPending = (values: Parameters<typeof insertSubscribers>[0]) =>
  followedBy(insertSubscribers(values), countPending({ listId: values.listId }));

/** Statement: insert the messages of the subscribers whose token was stored. A repeat inserts nothing. */
export const insertConfirmations = statement(
  { messages: json<readonly ConfirmationMessage[]>(), shared: json<SharedColumns>(), ...list },
  (p) => {
    const { from, item } = jsonEach(p.messages);
    const values = messageValues(jsonMembers(p.shared), item);
    return insertSelect(
      messages,
      { ...values, list_id: p.listId },
      sql`from ${from} cross join ${subscribers} on ${subscribers.company_id} = ${p.companyId}
          and ${subscribers.email_hmac} = ${item.email_hmac} and ${subscribers.list_id} = ${p.listId}
        where ${subscribers.token_hash} = ${item.token_hash} on conflict do nothing`,
    );
  },
);

/** What happened to a subscriber who was to get a confirmation mail. */
export type ConfirmationOutcome = "sent" | "existing" | "suppressed" | "throttled";

/** Statement: the outcome for each item, after the other statements. */
export const findOutcomes = statement({ items, ...list, now: integer }, (p) => {
  const { from, item } = jsonEach(p.items);
  const outcome = sql<ConfirmationOutcome>`case when ${subscribers.token_hash} = ${item.token_hash} then 'sent'
    when ${subscribers.status} = 'confirmed' then 'existing'
    when not ${isMailable(hashesOf(item), p)} then 'suppressed' else 'throttled' end`;
  return selectRows(
    { email_hmac: item.email_hmac.mapWith(text), outcome: outcome.mapWith(text) as SQL<ConfirmationOutcome> },
    (columns) => sql`select ${columns} from ${from} left join ${subscribers} on ${isItem(p, item.email_hmac)}`,
  );
});

const isItem = (p: ListParameters, hash: SQLWrapper) => sql`${subscribers.company_id} = ${p.companyId}
  and ${subscribers.email_hmac} = ${hash} and ${subscribers.list_id} = ${p.listId}`;

/** Statement: the published confirmation mail of a newsletter, with the checksum of its text. */
export const findConfirmationTemplate = statement({ listId: newsletters.id }, (p) =>
  selectRows(
    { ...customTemplateContent, checksum: template_versions.checksum },
    (
      columns,
    ) => sql`select ${columns} from ${newsletters} cross join ${templates} on ${templates.id} = ${newsletters.confirmation_template_id}
      ${publishedVersion} where ${newsletters.id} = ${p.listId}`,
  ),
);

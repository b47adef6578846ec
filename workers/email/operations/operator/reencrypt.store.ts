import { and, asc, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  action_deliveries,
  action_rules,
  broadcast_recipients,
  broadcasts,
  company_providers,
  direct_contents,
  event_log,
  message_attachments,
  messages,
  newsletters,
  rules,
  service_clients,
  subscribers,
} from "../../../../db/email/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { assignments, columnName, jsonEach, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { eventIdOf } from "../../../kit/webhooks/event-store/event-log.store";

/** The values of a primary key. */
export type Key = (string | number)[];

/** A row with encrypted values. `sealed` is in the order of the columns. `record` is the id that the encryption binds to. */
export type SealedRow = { at: Key; company: number; record: string; sealed: (string | null)[] };

/** The change of a row. A column is replaced only while its old text is still stored. Null leaves a column unchanged. */
export type Reencryption = { at: Key; oldTexts: (string | null)[]; newTexts: (string | null)[] };

type Sealed<Column> = {
  table: SQLiteTable;
  key: AnySQLiteColumn[];
  company: SQLWrapper;
  record: SQLWrapper;
  columns: Column[];
  /** further columns that an update sets */
  alsoSet?: Record<string, SQL>;
};

/** Returns the statements that scan and update the encrypted values of a table in the order of its primary key. */
function sealedTable<Column extends string>({ table, key, company, record, columns, alsoSet }: Sealed<Column>) {
  const at = sql`json_array(${sql.join(key, sql`, `)})`;
  const columnOf = table as unknown as Record<Column, AnySQLiteColumn>;
  const values = columns.map((column) => sql`${columnOf[column]}`);
  const member = (list: SQLWrapper, path: string) => sql`${list} ->> ${sql.raw(`'$${path}'`)}`;
  const keyFrom = (other: SQLWrapper) =>
    sql`(${sql.join(
      key.map((_, i) => member(other, `[${i}]`)),
      sql`, `,
    )})`;
  const rowKey = sql`(${sql.join(key, sql`, `)})`;
  const order = sql.join(key.map(asc), sql`, `);
  // Only encrypted values start with a version. Values that an erasure emptied do not.
  const usesOldKey = (currentKeyPrefix: SQL) =>
    or(
      ...values.map(
        (value) => sql`(substr(${value}, 1, 3) = 'v1.' and substr(${value}, 1, 12) <> ${currentKeyPrefix})`,
      ),
    ) as SQL;
  return {
    columns,
    /** a key that sorts before all other keys */
    start: key.map(({ dataType }) => (dataType === "number" ? -1 : "")) as Key,
    /**
     * Statement: scan the next `limit` rows. Returns the number of rows that are encrypted with an old key. Also returns the
     * primary key of the last row, or null when no rows are left.
     */
    scan: statement({ after: json<Key>(), currentKeyPrefix: text, limit: integer }, (p) =>
      selectRows(
        {
          outdated: sql`coalesce(sum(uses_old_key), 0)`.mapWith(integer),
          end: sql`json_group_array(at) ->> '$[#-1]'`.mapWith(nullable(json<Key>())) as SQL<Key | null>,
        },
        (
          selected,
        ) => sql`select ${selected} from (select ${at} as at, coalesce(${usesOldKey(p.currentKeyPrefix)}, 0) as uses_old_key
          from ${table} where ${rowKey} > ${keyFrom(p.after)} order by ${order} limit ${p.limit})`,
      ),
    ),
    /** Statement: the rows in a range of primary keys that are encrypted with an old key. */
    find: statement({ after: json<Key>(), end: json<Key>(), currentKeyPrefix: text, limit: integer }, (p) =>
      selectRows(
        {
          at: at.mapWith(json<Key>()) as SQL<Key>,
          company: sql`${company}`.mapWith(integer),
          record: sql`${record}`.mapWith(text),
          sealed: sql`json_array(${sql.join(values, sql`, `)})`.mapWith(json<(string | null)[]>()) as SQL<
            (string | null)[]
          >,
        },
        (selected) => sql`select ${selected} from ${table}
          where ${rowKey} > ${keyFrom(p.after)} and ${rowKey} <= ${keyFrom(p.end)} and (${usesOldKey(p.currentKeyPrefix)})
          order by ${order} limit ${p.limit}`,
      ),
    ),
    /** Statement: store the new texts where the old texts are still stored. */
    update: statement({ updates: json<Reencryption[]>() }, (p) => {
      const { from, value: row } = jsonEach(p.updates);
      const isSame = (value: SQL, i: number) => sql`${value} = ${member(row, `.oldTexts[${i}]`)}`;
      const changed = columns.map((column, i) => {
        const value = values[i] as SQL;
        return [column, sql`iif(${isSame(value, i)}, ${member(row, `.newTexts[${i}]`)}, ${value})`];
      });
      const set = assignments(table, { ...Object.fromEntries(changed), ...alsoSet });
      return sql`update ${table} set ${set} from ${from}
        where ${and(...key.map((column, i) => eq(column, member(row, `.at[${i}]`))), or(...values.map(isSame)))}`;
    }),
  };
}

const { updated_at } = company_providers;

/**
 * The tables with encrypted values, in scan order. Events precede deliveries, because new deliveries copy the envelopes of
 * events.
 */
export const sealedTables = {
  messages: sealedTable({
    table: messages,
    key: [messages.id],
    company: messages.company_id,
    record: messages.id,
    columns: ["to_enc", "variables_enc"],
  }),
  direct_contents: sealedTable({
    table: direct_contents,
    key: [direct_contents.company_id, direct_contents.id],
    company: direct_contents.company_id,
    record: direct_contents.id,
    columns: ["content_enc"],
  }),
  message_attachments: sealedTable({
    table: message_attachments,
    key: [message_attachments.id],
    company: message_attachments.company_id,
    record: message_attachments.id,
    columns: ["files_enc"],
  }),
  rules: sealedTable({
    table: rules,
    key: [rules.id],
    company: rules.company_id,
    record: rules.seal_id,
    columns: ["static_recipients_enc"],
  }),
  event_log: sealedTable({
    table: event_log,
    key: [event_log.company_id, event_log.id],
    company: event_log.company_id,
    record: eventIdOf(event_log),
    columns: ["data", "envelope"],
  }),
  action_deliveries: sealedTable({
    table: action_deliveries,
    key: [action_deliveries.seq],
    company: action_deliveries.company_id,
    record: action_deliveries.event_id,
    columns: ["body"],
  }),
  company_providers: sealedTable({
    table: company_providers,
    key: [company_providers.company_id],
    company: company_providers.company_id,
    record: company_providers.seal_id,
    columns: ["credentials_enc", "webhook_secret_enc", "webhook_previous_enc"],
    // A PUT compares `updated_at`, so with this change a concurrent PUT cannot restore the old texts.
    alsoSet: { updated_at: sql`${columnName(updated_at)} + 1` },
  }),
  service_clients: sealedTable({
    table: service_clients,
    key: [service_clients.id],
    company: sql`0`,
    record: service_clients.seal_id,
    columns: ["callback_secret_enc"],
  }),
  action_rules: sealedTable({
    table: action_rules,
    key: [action_rules.id],
    company: action_rules.company_id,
    record: sql`''`,
    columns: ["secret_enc", "previous_secret_enc", "authorization_enc"],
  }),
  broadcasts: sealedTable({
    table: broadcasts,
    key: [broadcasts.id],
    company: broadcasts.company_id,
    record: broadcasts.seal_id,
    columns: ["bearer_enc", "audience_emails_enc"],
  }),
  broadcast_recipients: sealedTable({
    table: broadcast_recipients,
    key: [broadcast_recipients.broadcast_id, broadcast_recipients.email_hmac],
    company: sql`0`,
    record: sql`${broadcast_recipients.broadcast_id} || ':' || ${broadcast_recipients.email_hmac}`,
    columns: ["contact_enc"],
  }),
  newsletters: sealedTable({
    table: newsletters,
    key: [newsletters.id],
    company: newsletters.company_id,
    record: newsletters.seal_id,
    columns: ["turnstile_secret_enc"],
  }),
  subscribers: sealedTable({
    table: subscribers,
    key: [subscribers.id],
    company: subscribers.company_id,
    record: subscribers.seal_id,
    columns: ["email_enc", "first_name_enc"],
  }),
};

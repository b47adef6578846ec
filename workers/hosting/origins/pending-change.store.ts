import { and, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { hosting_hostnames, hosting_origins } from "../../../db/hosting/schema";
import { integer, json } from "../../kit/db/kind";
import { assignments, columnName, jsonEach, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { MINUTE_MS, SECOND_MS } from "../../kit/time";

/** A table of changes that another service has not confirmed yet. */
type PendingTable = typeof hosting_origins | typeof hosting_hostnames;

/** The batch that writes a change also sends it at once. If that is lost, the minute sweep sends it after this time. */
const SWEEP_AFTER_MS = 30 * SECOND_MS;

/** A lease outlives every call that it protects, so a call that is still on its way never overtakes a later one. */
const LEASE_MS = 2 * MINUTE_MS;

/** The key of a row with the change that was sent. */
export type SentChange = { change_id: string };

/** Returns the columns of a new change at `now` (unix ms). */
export const newChange = (changeId: SQL<string>, now: SQL<number>) => ({
  change_id: changeId,
  attempts: 0,
  due_at: sql`${now} + ${sql.raw(String(SWEEP_AFTER_MS))}`,
  lease_until: 0,
});

/** Returns the ON CONFLICT clause that replaces the change of a row. The lease of a call that is under way remains. */
export function replaceChange(keys: Record<string, AnySQLiteColumn>, values: readonly AnySQLiteColumn[]): SQL {
  const names = Object.values(keys).map(columnName);
  const replaced = values.map((column) => sql`${columnName(column)} = excluded.${columnName(column)}`);
  return sql`on conflict (${sql.join(names, sql`, `)}) do update set ${sql.join(replaced, sql`, `)}`;
}

/** Returns the statements of a table of pending changes. `keys` are the columns of its primary key, `values` the others to read. */
export function pendingStatements<
  const Keys extends Record<string, AnySQLiteColumn>,
  const Values extends Record<string, AnySQLiteColumn>,
>(table: PendingTable, index: string, keys: Keys, values: Values) {
  const { attempts, change_id, due_at, lease_until } = table;
  const columns = { ...keys, ...values, attempts, change_id, lease_until };
  type Key = { [K in keyof Keys]: Keys[K]["_"]["data"] };
  const returned = sql.join(
    Object.values(columns).map((column) => sql`${columnName(column)} as ${columnName(column)}`),
    sql`, `,
  );
  const isKey = (item: Record<string, SQL>): SQL =>
    and(...Object.entries(keys).map(([name, column]) => sql`${column} = ${item[name]}`)) as SQL;

  return {
    /** Statement: the keys of up to `limit` changes that are due at `now` (unix ms) and not under way, the oldest first. */
    findDue: statement({ now: integer, limit: integer }, (p) =>
      selectRows(
        keys,
        (selected) => sql`select ${selected} from ${table} indexed by ${sql.identifier(index)}
          where ${due_at} <= ${p.now} and ${lease_until} <= ${p.now} order by ${due_at} limit ${p.limit}`,
      ),
    ),
    /** Statement: leases the changes of these keys that no call is sending, and returns them. */
    claim: statement({ keys: json<readonly Key[]>(), now: integer }, (p) => {
      const { from, item } = jsonEach(p.keys as SQL<readonly Key[]>, "k");
      return selectRows(
        columns,
        () =>
          sql`update ${table} set ${assignments(table, {
            attempts: sql`${columnName(attempts)} + 1`,
            lease_until: sql`${p.now} + ${sql.raw(String(LEASE_MS))}`,
          })} from ${from} where ${isKey(item)} and ${lease_until} <= ${p.now} returning ${returned}`,
      );
    }),
    /** Statement: deletes confirmed changes. A change that replaced a confirmed one remains. */
    confirm: statement({ sent: json<readonly (Key & SentChange)[]>() }, (p) => {
      const { from, item } = jsonEach(p.sent as SQL<readonly (Key & SentChange)[]>, "k");
      const names = Object.keys(keys);
      const stored = sql.join([...Object.values(keys), change_id].map(columnName), sql`, `);
      const given = sql.join([...names.map((name) => item[name]), item.change_id], sql`, `);
      return sql`delete from ${table} where (${stored}) in (select ${given} from ${from})`;
    }),
    /**
     * Statement: ends the leases of sent changes that remain, and returns them. A change that was replaced while it was sent
     * is due at once, the others at `due_at` (unix ms).
     */
    release: statement(
      { sent: json<readonly (Key & SentChange & { lease_until: number; due_at: number })[]>(), now: integer },
      (p) => {
        const { from, item } = jsonEach(
          p.sent as SQL<readonly (Key & SentChange & { lease_until: number; due_at: number })[]>,
          "k",
        );
        return selectRows(
          columns,
          () =>
            sql`update ${table} set ${assignments(table, {
              lease_until: 0,
              due_at: sql`case ${change_id} when ${item.change_id} then ${item.due_at} else ${p.now} end`,
            })} from ${from} where ${isKey(item)} and ${lease_until} = ${item.lease_until} returning ${returned}`,
        );
      },
    ),
  };
}

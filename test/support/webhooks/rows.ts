import { env } from "cloudflare:test";
import { asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  action_counters,
  action_deliveries,
  action_rules,
  delivery_attempts,
  event_log,
} from "../../../db/kit/webhooks";
import { type InsertValues, insertSelect } from "../../../workers/kit/db/query";
import { eventIdOf } from "../../../workers/kit/webhooks/event-store/event-log.store";
import { numberOfId } from "../../../workers/kit/webhooks/events/event-key";
import { eventIdAt } from "../db/event-ids";
import { insertNumbered as storeNumbered } from "../db/numbered-rows";
import { rowsOf } from "../db/rows";

/** Helpers for rows of the tables that every service has, in the database of the test's service. */
export const { db, insertRow, insertRows, readRows, updateRows, deleteRows, countRows } = rowsOf(env.DB);

/** Inserts `count` rows in one statement; `i` numbers them from 1. */
export const insertNumbered = <T extends SQLiteTable>(
  table: T,
  count: number,
  values: (i: SQL) => InsertValues<T>,
  join?: SQL,
) => storeNumbered(env.DB, table, { from: 1, to: count }, values, join);

/** Default columns of a subscription. */
const anyRule = {
  name: "Hook",
  event_type: "identity.user.created",
  url: "https://hooks.example.com/x",
  host: "hooks.example.com",
  secret_enc: "v1.x",
  secret_hint: "****",
  created_at: 1,
  updated_at: 1,
};

type NewRule = typeof action_rules.$inferInsert;

/** Returns a subscription row with defaults. */
export const ruleOf = (values: Partial<NewRule> & { company_id: number }): NewRule => ({ ...anyRule, ...values });

/** Stores a subscription and returns its id. */
export const insertRule = async (values: Parameters<typeof ruleOf>[0]) =>
  (await insertRow(action_rules, ruleOf(values))).id;

/** Returns a stored subscription. Throws if there is none. */
export async function findRule(id: number) {
  const [row] = await readRows(action_rules, eq(action_rules.id, id));
  if (row === undefined) throw new Error(`no rule ${id}`);
  return row;
}

export const changeRule = (id: number, values: Partial<NewRule>) =>
  updateRows(action_rules, values, eq(action_rules.id, id));

/** Returns the stored deliveries that match a condition, in order of creation. */
export const deliveriesWhere = (where: SQL | undefined) =>
  readRows(action_deliveries, where, asc(action_deliveries.seq));

/** Returns a stored delivery. Throws if there is none. */
export async function findDelivery(id: string) {
  const [row] = await deliveriesWhere(eq(action_deliveries.id, id));
  if (row === undefined) throw new Error(`no delivery ${id}`);
  return row;
}

export const changeDelivery = (
  id: string,
  values: { [K in keyof typeof action_deliveries.$inferInsert]?: (typeof action_deliveries.$inferInsert)[K] | SQL },
) =>
  updateRows(action_deliveries, values as Partial<typeof action_deliveries.$inferInsert>, eq(action_deliveries.id, id));

/**
 * Stores `count` deliveries for each subscription that matches the condition. The n-th is due at n (ms since the
 * epoch).
 */
export const insertDueDeliveries = (count: number, rules?: SQL) => {
  const r = action_rules;
  const random = sql`lower(hex(randomblob(16)))`;
  return insertNumbered(
    action_deliveries,
    count,
    (i) => ({
      id: random,
      kind: "webhook" as const,
      event_id: random,
      body: "{}",
      status: "failed" as const,
      company_id: r.company_id,
      rule_id: r.id,
      rule_name: r.name,
      event_type: r.event_type,
      host: r.host,
      due_at: i,
      created_at: i,
      updated_at: i,
    }),
    sql`cross join ${r} where ${rules ?? sql`true`}`,
  );
};

/** Returns attempts of the deliveries that match a condition, with the id of their delivery. */
export const attemptsWhere = (where: SQL) =>
  db
    .select({ ...getTableColumns(delivery_attempts), delivery_id: action_deliveries.id })
    .from(delivery_attempts)
    .innerJoin(action_deliveries, eq(action_deliveries.seq, delivery_attempts.delivery_seq))
    .where(where)
    .orderBy(asc(delivery_attempts.id));

/** Returns the stored counters of a company. */
export async function totalsOf(company: number): Promise<Record<string, number>> {
  const rows = await readRows(action_counters, eq(action_counters.company_id, company));
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

type NewEvent = { company_id: number; event_type: string; envelope?: string | null; created_at: number };

/** Stores an event with the columns that every event log has. Returns its id and its integer id in the API. */
export async function insertEvent(values: NewEvent & { id?: string }): Promise<{ id: number; event_id: string }> {
  const { id = eventIdAt(values.created_at), ...rest } = values;
  await db.run(insertSelect(event_log, { id, data: "{}", ...rest }, sql``));
  return { id: numberOfId(id), event_id: id };
}

/** Returns the stored events that match a condition, in order of creation. */
export function eventsWhere(where: SQL | undefined) {
  const { id, company_id, event_type, data, envelope, created_at } = event_log;
  const columns = { id, event_id: eventIdOf(event_log), company_id, event_type, data, envelope, created_at };
  return db.select(columns).from(event_log).where(where).orderBy(asc(id));
}

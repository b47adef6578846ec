import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { idAt } from "../../../../db/email/conditions/messages";
import { decisions, skip_days } from "../../../../db/email/schema";
import { DECISION_DAYS } from "../../../../schemas/email/intake/decisions";
import { tableReference } from "../../../kit/db/query";
import type { PurgeTarget } from "../../../kit/jobs/purge/purge.store";
import { DAY_MS } from "../../../kit/time";

const HISTORY_DAYS = 400;

type Keyed = { company: AnySQLiteColumn; key: readonly AnySQLiteColumn[] };

/**
 * Keys of the rows that `isOver`, of a table whose key begins with the company: they are looked up company by company from
 * `bound`, so that no recent row is read.
 */
const ofEachCompany = ({ company, key }: Keyed, { table, isOver, start }: { table: SQL; isOver: SQL; start: SQL }) =>
  sql`with recursive companies(id) as (
    select min(${company}) from ${table} where ${company} >= ${start}
    union all
    select (select min(${company}) from ${table} where ${company} > companies.id) from companies where companies.id is not null)
  select ${sql.join([...key], sql`, `)} from companies cross join ${table} where ${company} = companies.id and ${isOver}`;

const d = alias(decisions, "d");
const s = alias(skip_days, "s");

/** Decisions, 30 days after they were made: ids begin with their time. */
export const oldDecisions: PurgeTarget<unknown> = {
  name: "decisions",
  table: decisions,
  key: [decisions.company_id, decisions.id],
  find: (bound) =>
    ofEachCompany(
      { company: d.company_id, key: [d.company_id, d.id] },
      { table: tableReference(d), isOver: sql`${d.id} < ${idAt(bound("cut"))}`, start: bound("from") },
    ),
  bounds: (_services, now) => ({ from: 0, cut: now - DECISION_DAYS * DAY_MS }),
  walks: { bound: "from", column: decisions.company_id },
};

/** Counts of skipped events, 400 days after their day. */
export const oldSkips: PurgeTarget<unknown> = {
  name: "skip_days",
  table: skip_days,
  key: [skip_days.company_id, skip_days.day, skip_days.lane, skip_days.event_type, skip_days.reason],
  find: (bound) =>
    ofEachCompany(
      { company: s.company_id, key: [s.company_id, s.day, s.lane, s.event_type, s.reason] },
      { table: tableReference(s), isOver: sql`${s.day} < ${bound("day")}`, start: bound("from") },
    ),
  bounds: (_services, now) => ({ from: 0, day: new Date(now - HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10) }),
  walks: { bound: "from", column: skip_days.company_id },
};

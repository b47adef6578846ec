import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { idAt } from "../../../../db/email/conditions/messages";
import { decisions, skip_days } from "../../../../db/email/schema";
import { DECISION_DAYS } from "../../../../schemas/email/intake/decisions";
import { tableReference } from "../../../kit/db/query";
import type { PurgeTarget } from "../../../kit/jobs/purge/purge.store";
import { DAY_MS } from "../../../kit/time";

const HISTORY_DAYS = 400;

type CompanyKey = { company: AnySQLiteColumn; key: readonly AnySQLiteColumn[] };

/**
 * Selects the keys of the expired rows in a table whose primary key starts with the company. It searches company by company
 * from `start`, so that it does not read the rows that have not expired.
 */
const selectByCompany = (
  { company, key }: CompanyKey,
  { table, isExpired, start }: { table: SQL; isExpired: SQL; start: SQL },
) =>
  sql`with recursive companies(id) as (
    select min(${company}) from ${table} where ${company} >= ${start}
    union all
    select (select min(${company}) from ${table} where ${company} > companies.id) from companies where companies.id is not null)
  select ${sql.join([...key], sql`, `)} from companies cross join ${table} where ${company} = companies.id and ${isExpired}`;

const decision = alias(decisions, "decision");
const skipDay = alias(skip_days, "skip_day");

/** Decisions older than 30 days. Their ids start with the creation time. */
export const oldDecisions: PurgeTarget<unknown> = {
  name: "decisions",
  table: decisions,
  key: [decisions.company_id, decisions.id],
  find: (bound) =>
    selectByCompany(
      { company: decision.company_id, key: [decision.company_id, decision.id] },
      {
        table: tableReference(decision),
        isExpired: sql`${decision.id} < ${idAt(bound("cutoff"))}`,
        start: bound("from"),
      },
    ),
  bounds: (_services, now) => ({ from: 0, cutoff: now - DECISION_DAYS * DAY_MS }),
  resumesAt: { bound: "from", column: decisions.company_id },
};

/** Daily counts of skipped events, for days more than 400 days ago. */
export const oldSkips: PurgeTarget<unknown> = {
  name: "skip_days",
  table: skip_days,
  key: [skip_days.company_id, skip_days.day, skip_days.lane, skip_days.event_type, skip_days.reason],
  find: (bound) =>
    selectByCompany(
      {
        company: skipDay.company_id,
        key: [skipDay.company_id, skipDay.day, skipDay.lane, skipDay.event_type, skipDay.reason],
      },
      { table: tableReference(skipDay), isExpired: sql`${skipDay.day} < ${bound("day")}`, start: bound("from") },
    ),
  bounds: (_services, now) => ({ from: 0, day: new Date(now - HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10) }),
  resumesAt: { bound: "from", column: skip_days.company_id },
};

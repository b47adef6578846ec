import type { company_totals, counters } from "../../../db/identity/schema";
import { sql } from "../../kit/db";

export type TotalsRow = Omit<typeof company_totals.$inferSelect, "company_id">;
export type SeenRow = { daily: number; weekly: number; monthly: number };
export type CounterRow = typeof counters.$inferSelect;

/** (company, or 0 for users over all companies): how many people and identities there are. */
export const findTotals = sql("SELECT members, allowed, staff, identities FROM company_totals WHERE company_id = ?1");

/** (company or 0, first days of day, week and month as unix days): people seen since; at most 31 rows. */
export const findSeen = sql(
  `SELECT coalesce(sum(people) FILTER (WHERE day >= ?2), 0) AS daily,
     coalesce(sum(people) FILTER (WHERE day >= ?3), 0) AS weekly,
     coalesce(sum(people) FILTER (WHERE day >= ?4), 0) AS monthly
   FROM seen_days WHERE company_id = ?1 AND day >= min(?3, ?4)`,
);

/** (company): its stored totals. */
export const findCounters = sql("SELECT company_id, name, label, value FROM counters WHERE company_id = ?1");

/** The stored totals of every company, which is the whole table: each row of it is a line of the answer. */
export const listCounters = sql(
  "SELECT company_id, name, label, value FROM counters WHERE company_id > 0 ORDER BY company_id, name, label",
);

/** Mails that still wait for the email service. */
export const countWaitingMail = sql("SELECT count(*) AS pending FROM mail_outbox WHERE state = 'waiting'");

import { sql } from "drizzle-orm";
import { action_counters } from "../../../db/storage/schema";
import { columnName, insertSelect } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Increments a counter of a company, and the total of all companies under id 0. */
export const addToTotal = statement(
  { companyId: action_counters.company_id, name: action_counters.name },
  (p) =>
    sql`${insertSelect(
      action_counters,
      { company_id: sql`factor.value * ${p.companyId}`, name: p.name, value: 1 },
      sql`from json_each('[0,1]') factor where true`,
    )} on conflict (${columnName(action_counters.company_id)}, ${columnName(action_counters.name)}) do update set ${columnName(action_counters.value)} = ${action_counters.value} + excluded.value`,
);

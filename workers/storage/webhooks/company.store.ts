import { sql } from "drizzle-orm";
import { action_counters } from "../../../db/storage/schema";
import { columnName, insertSelect } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const t = action_counters;

/** Increments a counter of a company, and the total of all companies under id 0. */
export const addToTotal = statement(
  { companyId: t.company_id, name: t.name },
  (p) =>
    sql`${insertSelect(
      t,
      { company_id: sql`factor.value * ${p.companyId}`, name: p.name, value: 1 },
      sql`from json_each('[0,1]') factor where true`,
    )} on conflict (${columnName(t.company_id)}, ${columnName(t.name)}) do update set ${columnName(t.value)} = ${t.value} + excluded.value`,
);

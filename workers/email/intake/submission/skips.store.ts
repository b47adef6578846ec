import { and, eq, sql } from "drizzle-orm";
import type { DecisionRow } from "../../../../db/email/rows";
import { decisions, skip_days } from "../../../../db/email/schema";
import { json } from "../../../kit/db/kind";
import { allColumns, columnName, insertSelect, jsonEach } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, statement } from "../../../kit/db/statement";

const columns = Object.keys(allColumns(decisions)) as (keyof DecisionRow)[];

const insertDecisions = statement({ decisions: json<readonly DecisionRow[]>() }, (p) => {
  const { from, item: decision } = jsonEach(p.decisions);
  const values = Object.fromEntries(columns.map((column) => [column, decision[column]])) as typeof decision;
  return insertSelect(decisions, values, sql`from ${from} where true on conflict do nothing`);
});

const { n, ...day } = allColumns(skip_days);

// `countSkips` must run before the decision is inserted. In a repeated batch the decision exists, so nothing is counted again.
const countSkips = statement({ ...day, n, decision: decisions.id }, ({ decision, ...p }) => {
  const isStored = and(eq(decisions.company_id, p.company_id), eq(decisions.id, decision));
  return insertSelect(
    skip_days,
    p,
    sql`where not exists (select 1 from ${decisions} where ${isStored})
      on conflict do update set ${columnName(n)} = ${n} + ${p.n}`,
  );
});

/** A number to add to the count of a day and reason, and the id of a decision that is stored together with the count. */
export type SkipCount = Parameters<typeof countSkips>[0];

/** Returns the statements that add to counts and store decisions. */
export function storeSkips(rows: readonly DecisionRow[], counts: readonly SkipCount[]): Bound[] {
  return [...counts.map(countSkips), ...toSlices(rows).map((slice) => insertDecisions({ decisions: slice }))];
}

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

// `countSkip` must run before the decision is inserted. In a repeated batch the decision exists, so nothing is counted again.
const countSkip = statement({ ...day, decision: decisions.id }, ({ decision, ...p }) => {
  const isStored = and(eq(decisions.company_id, p.company_id), eq(decisions.id, decision));
  return insertSelect(
    skip_days,
    { ...p, n: 1 },
    sql`where not exists (select 1 from ${decisions} where ${isStored})
      on conflict do update set ${columnName(n)} = ${n} + 1`,
  );
});

/** Returns the statements that store decisions. A non-null `skipped` also counts the event as one without messages. */
export function storeSkips(
  rows: readonly DecisionRow[],
  skipped: Omit<Parameters<typeof countSkip>[0], "decision"> | null,
): Bound[] {
  const [first] = rows;
  return [
    ...(skipped === null || first === undefined ? [] : [countSkip({ ...skipped, decision: first.id })]),
    ...toSlices(rows).map((slice) => insertDecisions({ decisions: slice })),
  ];
}

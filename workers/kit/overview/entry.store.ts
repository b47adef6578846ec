import { type SQL, sql } from "drizzle-orm";
import { type Codec, integer, json } from "../db/kind";
import { selectRows } from "../db/query";
import { type Bound, statement } from "../db/statement";

/**
 * The maximum number of rows that a request counts per entry. The count of an entry with more rows is a lower bound.
 */
export const MAX_COUNTED_ROWS = 1_000;

/** The maximum number of companies that an entry lists. */
const MAX_TOP_COMPANIES = 10;

/** What a statement counted: the matching rows, all rows, and the matching rows of the companies that have the most. */
export type EntryCounts = readonly [
  matched: number,
  counted: number,
  companies: readonly (readonly [number, number])[],
];

/**
 * The parameters of an entry. `company` is null in the statement that counts all companies; `serviceParameters` are the
 * parameters that the service declares.
 */
export type EntryParameters = { now: SQL; company: SQL | null; serviceParameters: Record<string, SQL> };

/**
 * An entry of the overview: a number of rows that need attention. `rows` selects `company_id` and `matches` (0 or 1) through an index; the caller adds
 * the limit. It returns null if the entry does not exist for the statement. `list` returns the path that lists the rows of a
 * company, or of all companies when null; null if no call lists them. `sinceMs` is the length of the counted time.
 */
export type OverviewEntry = {
  code: string;
  severity: "error" | "warning";
  sinceMs?: number;
  rows: (p: EntryParameters) => SQL | null;
  list: (from: { companyId: number | null; since: string }) => string | null;
};

const selectCounts = (rows: SQL) =>
  sql`(select json_array(coalesce(sum(matched), 0), coalesce(sum(counted), 0),
      json_group_array(json_array(company_id, matched)) filter (where place <= ${MAX_TOP_COMPANIES} and matched > 0))
    from (select company_id, sum(matches) as matched, count(*) as counted,
        row_number() over (order by sum(matches) desc, company_id) as place
      from (${rows} limit ${MAX_COUNTED_ROWS + 1}) group by company_id))`.mapWith(json<EntryCounts>());

type Parameters = Record<string, Codec>;
type Values = Record<string, unknown>;

/** The statements that read all entries of a service: those of one company, and those of all companies. */
export type OverviewStatements = {
  entries: readonly OverviewEntry[];
  ofCompany: (values: Values) => Bound<Record<string, EntryCounts>>;
  ofAll: (values: Values) => Bound<Record<string, EntryCounts>>;
};

/**
 * Registers the statements that read the entries of a service, each in one statement. Call it at module level. `parameters` are
 * those of both statements, `parametersOfAll` those of the statement for all companies.
 */
export function createOverview(
  entries: readonly OverviewEntry[],
  parameters: Parameters = {},
  parametersOfAll: Parameters = {},
): OverviewStatements {
  const select = (p: EntryParameters) => {
    const fields = entries.flatMap((entry) => {
      const rows = entry.rows(p);
      return rows === null ? [] : [[entry.code, selectCounts(rows)] as const];
    });
    return selectRows(Object.fromEntries(fields), (columns) => sql`select ${columns}`);
  };
  const shared = { now: integer, ...parameters };
  const ofCompany = statement({ company: integer, ...shared }, ({ company, now, ...serviceParameters }) =>
    select({ company, now, serviceParameters }),
  );
  const ofAll = statement({ ...shared, ...parametersOfAll }, ({ now, ...serviceParameters }) =>
    select({ company: null, now: now as SQL, serviceParameters }),
  );
  return { entries, ofCompany, ofAll } as unknown as OverviewStatements;
}

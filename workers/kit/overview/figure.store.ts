import { type SQL, sql } from "drizzle-orm";
import { type Codec, integer, json } from "../db/kind";
import { selectRows } from "../db/query";
import { type Bound, statement } from "../db/statement";

/**
 * The maximum number of rows that a request counts per figure. A figure with more rows is a lower bound.
 */
export const COUNTED_ROWS = 1_000;

/** The maximum number of companies that a figure names. */
const NAMED_COMPANIES = 10;

/** What a statement counted: the matching rows, all rows, and the matching rows of the companies that have the most. */
export type Tally = readonly [matched: number, counted: number, companies: readonly (readonly [number, number])[]];

/**
 * The parameters of a figure. `company` is null in the statement that counts all companies; `own` are the parameters that the
 * service declares.
 */
export type FigureParameters = { now: SQL; company: SQL | null; own: Record<string, SQL> };

/**
 * A number of rows that need attention. `rows` selects `company_id` and `matches` (0 or 1) through an index; the caller adds
 * the limit. It returns null if the figure does not exist for the statement. `list` returns the path that lists the rows of a
 * company, or of all companies when null; null if no call lists them. `sinceMs` is the length of the counted time.
 */
export type Figure = {
  code: string;
  severity: "error" | "warning";
  sinceMs?: number;
  rows: (p: FigureParameters) => SQL | null;
  list: (from: { companyId: number | null; since: string }) => string | null;
};

const tally = (rows: SQL) =>
  sql`(select json_array(coalesce(sum(matched), 0), coalesce(sum(counted), 0),
      json_group_array(json_array(company_id, matched)) filter (where place <= ${NAMED_COMPANIES} and matched > 0))
    from (select company_id, sum(matches) as matched, count(*) as counted,
        row_number() over (order by sum(matches) desc, company_id) as place
      from (${rows} limit ${COUNTED_ROWS + 1}) group by company_id))`.mapWith(json<Tally>());

type Parameters = Record<string, Codec>;
type Values = Record<string, unknown>;

/** The statements that read all figures of a service: those of one company, and those of all companies. */
export type OverviewStatements = {
  figures: readonly Figure[];
  ofCompany: (values: Values) => Bound<Record<string, Tally>>;
  ofAll: (values: Values) => Bound<Record<string, Tally>>;
};

/**
 * Registers the statements that read the figures of a service, each in one statement. Call it at module level. `parameters` are
 * those of both statements, `parametersOfAll` those of the statement for all companies.
 */
export function createOverview(
  figures: readonly Figure[],
  parameters: Parameters = {},
  parametersOfAll: Parameters = {},
): OverviewStatements {
  const select = (p: FigureParameters) => {
    const fields = figures.flatMap((figure) => {
      const rows = figure.rows(p);
      return rows === null ? [] : [[figure.code, tally(rows)] as const];
    });
    return selectRows(Object.fromEntries(fields), (columns) => sql`select ${columns}`);
  };
  const shared = { now: integer, ...parameters };
  const ofCompany = statement({ company: integer, ...shared }, ({ company, now, ...own }) =>
    select({ company, now, own }),
  );
  const ofAll = statement({ ...shared, ...parametersOfAll }, ({ now, ...own }) =>
    select({ company: null, now: now as SQL, own }),
  );
  return { figures, ofCompany, ofAll } as unknown as OverviewStatements;
}

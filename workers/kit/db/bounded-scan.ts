import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { boolean, integer, nullable } from "./kind";

/**
 * The number of rows that one call of a filtered list scans. The call may read them twice: once for the page, and once
 * to find the end of the scan. In addition to the page's own rows and the lookups for them, a call reads at most 5,000
 * rows.
 */
export const MAX_SCANNED_ROWS = 2_000;

/** The parameters of a statement with a bounded scan; see http/paging/scan.ts. */
export const scanParameters = { scanLimit: integer, pageSize: integer, offset: integer, isCounted: integer };

/** The same parameters as SQL inside the statement. */
export type ScanInputs = { [K in keyof typeof scanParameters]: SQL<number> };

type Scan = {
  /** identifies a row: its primary key */
  key: SQLWrapper;
  /** whether the list shows a row; null means no */
  matches: SQLWrapper;
  /** identifies an item that several rows represent, so that it is counted once */
  subject?: SQLWrapper;
  /** the clauses FROM (an index), WHERE (its range) and ORDER BY (its order) */
  range: SQL;
};

/**
 * Returns SQL for the keys of one page of a list whose filters are evaluated row by row. `from` is a FROM term with one row
 * per item of the page, and `key` is its key column. When the page is not full or must be counted, an end row follows: the
 * key of the last scanned row, the number of matches, and whether the scan limit was reached. Keep the scan as short as the
 * page allows, because D1 counts every row that is read. D1 counts the rows of a subquery only if SQLite materialises them.
 */
export function boundedScan({ key, matches, subject, range }: Scan, p: ScanInputs) {
  const subjectColumn = subject === undefined ? sql`` : sql`, ${subject} as subject`;
  const scannedRows = sql`(select ${key} as key, ${matches} as matches${subjectColumn} ${range} limit ${p.scanLimit})`;
  const matchCount = subject === undefined ? sql`sum(matches)` : sql`count(distinct iif(matches, subject, null))`;
  return {
    from: sql`(select key, null as match_count, null as is_limit_reached
        from (select key from ${scannedRows} where matches limit ${p.pageSize} + 1 offset ${p.offset})
      union all select * from (select json_group_array(key) ->> '$[#-1]', ${matchCount}, count(*) = ${p.scanLimit} from ${scannedRows})
      limit ${p.pageSize} + 1 + ${p.isCounted}) page`,
    key: sql`page.key`,
    /** for the selection: both fields are null in the rows of the page and set in the end row */
    end: {
      match_count: sql`page.match_count`.mapWith(nullable(integer)) as SQL<number | null>,
      is_limit_reached: sql`page.is_limit_reached`.mapWith(nullable(boolean)) as SQL<boolean | null>,
    },
  };
}

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { boolean, integer, nullable } from "./kind";

/**
 * Rows that one call of a filtered list looks at. They may be read twice, for the page and for where the look ended: a call
 * reads at most 5,000 rows beside those that it shows, with what leads to each.
 */
export const WALKED_ROWS = 2_000;

/** What a statement with a walk takes: see http/paging/walk.ts. */
export const walkParameters = { look: integer, size: integer, offset: integer, counted: integer };

/** Those parameters in a statement. */
export type Walked = { [K in keyof typeof walkParameters]: SQL<number> };

type Walk = {
  /** what a row is found again by: its primary key */
  key: SQLWrapper;
  /** whether the list shows a row; null is no */
  fits: SQLWrapper;
  /** what a row stands for, where several may stand for one: it counts once */
  subject?: SQLWrapper;
  /** FROM an index, WHERE its range, ORDER BY its order */
  range: SQL;
};

/**
 * The keys of a page of a list whose filters are looked at row by row: `from` is a table of `key`, one a row of the page and,
 * where the page was not filled or shall be counted, one more that ends it: the last row that was looked at, with how many of
 * them fit and whether the look was cut. Look no further than the page needs: D1 counts a row where it is read, and rows
 * of inner queries only where they are kept.
 */
export function walk({ key, fits, subject, range }: Walk, p: Walked) {
  const shown = subject === undefined ? sql`` : sql`, ${subject} as subject`;
  const looked = sql`(select ${key} as key, ${fits} as fits${shown} ${range} limit ${p.look})`;
  const fitting = subject === undefined ? sql`sum(fits)` : sql`count(distinct iif(fits, subject, null))`;
  return {
    from: sql`(select key, null as fitting, null as is_cut
        from (select key from ${looked} where fits limit ${p.size} + 1 offset ${p.offset})
      union all select * from (select json_group_array(key) ->> '$[#-1]', ${fitting}, count(*) = ${p.look} from ${looked})
      limit ${p.size} + 1 + ${p.counted}) k`,
    key: sql`k.key`,
    /** for the selection: what tells the row that ends the page from its others, where both are null */
    end: {
      fitting: sql`k.fitting`.mapWith(nullable(integer)) as SQL<number | null>,
      is_cut: sql`k.is_cut`.mapWith(nullable(boolean)) as SQL<boolean | null>,
    },
  };
}

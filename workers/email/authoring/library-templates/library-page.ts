import type { LibraryRow } from "../../../../db/email/rows";
import { DESIGN_SETS } from "../../content/design-sets/sets";

/** The columns that are needed to sort and paginate a list. */
export type LibraryMetadata = Pick<LibraryRow, "id" | "key" | "set_key" | "name" | "company_id" | "updated_at"> & {
  /** size of the HTML in bytes */
  bytes: number;
};

/** The sort key of a template: rank of the design set (company templates last), name, id. */
export type LibraryPosition = readonly [rank: number, name: string, id: number];

/** Maximum bytes of designs per page. A page that would exceed this size has fewer templates. */
const MAX_PAGE_BYTES = 8_000_000;

/** Returns the sort key of a template. Built-in templates are sorted by set and name; company templates follow, by name. */
export function positionOf({ set_key, name, id, company_id }: LibraryMetadata): LibraryPosition {
  const set = DESIGN_SETS.findIndex(({ key }) => key === set_key);
  const rank = company_id === null ? (set < 0 ? DESIGN_SETS.length : set) : DESIGN_SETS.length + 1;
  return [rank, name, id];
}

function comparePositions(a: LibraryPosition, b: LibraryPosition): number {
  const byName = a[1] < b[1] ? -1 : Number(a[1] > b[1]);
  return a[0] - b[0] || byName || a[2] - b[2];
}

/**
 * Returns at most `limit` rows after a position, and whether more follow. A page with designs has at most MAX_PAGE_BYTES,
 * unless its first design is larger.
 */
export function pageOf(
  allRows: readonly LibraryMetadata[],
  { after, limit, hasDesigns }: { after: LibraryPosition | null; limit: number; hasDesigns: boolean },
): { rows: LibraryMetadata[]; hasMore: boolean } {
  const ordered = allRows
    .map((row) => ({ row, position: positionOf(row) }))
    .filter(({ position }) => after === null || comparePositions(position, after) > 0)
    .sort((a, b) => comparePositions(a.position, b.position))
    .map(({ row }) => row);
  const rows: LibraryMetadata[] = [];
  let bytes = 0;
  for (const row of ordered.slice(0, limit)) {
    bytes += row.bytes;
    if (hasDesigns && bytes > MAX_PAGE_BYTES && rows.length > 0) break;
    rows.push(row);
  }
  return { rows, hasMore: rows.length < ordered.length };
}

import type { LibraryRow } from "../../../../db/email/rows";
import { DESIGN_SETS } from "../../content/design-sets/sets";

/** The columns that order and limit a list. */
export type LibraryMetadata = Pick<LibraryRow, "id" | "key" | "set_key" | "name" | "company_id" | "updated_at"> & {
  /** size of the HTML */
  bytes: number;
};

/** Sort key of a template: rank of its set (company templates last), name, id. */
export type LibraryPosition = readonly [rank: number, name: string, id: number];

/** Maximum bytes of designs on one page; a page that would exceed it ends earlier. */
const MAX_PAGE_BYTES = 8_000_000;

/** Returns the sort key of a template: built-in ones by set and name, then the company's by name. */
export function positionOf({ set_key, name, id, company_id }: LibraryMetadata): LibraryPosition {
  const set = DESIGN_SETS.findIndex(({ key }) => key === set_key);
  const rank = company_id === null ? (set < 0 ? DESIGN_SETS.length : set) : DESIGN_SETS.length + 1;
  return [rank, name, id];
}

function comparePositions(a: LibraryPosition, b: LibraryPosition): number {
  const byName = a[1] < b[1] ? -1 : Number(a[1] > b[1]);
  return a[0] - b[0] || byName || a[2] - b[2];
}

/** Returns the rows after a position, at most `limit` and with designs at most MAX_PAGE_BYTES, and whether more follow. */
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

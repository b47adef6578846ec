import type { LibraryRow } from "../../../../db/email/rows";
import { DESIGN_SETS } from "../../content/design-sets/sets";

/** What a list is ordered and bounded by. */
export type LibraryMetadata = Pick<LibraryRow, "id" | "key" | "set_key" | "name" | "company_id" | "updated_at"> & {
  /** of the HTML */
  bytes: number;
};

/** Where a row stands in the list: place of its set, own ones behind; name; id. */
export type LibraryPosition = readonly [place: number, name: string, id: number];

/** What the designs of one page may have together; a page with more ends earlier. */
const MAX_PAGE_BYTES = 8_000_000;

/** Where a template stands in the list: built-in ones by set and name, then the company's by name. */
export function positionOf({ set_key, name, id, company_id }: LibraryMetadata): LibraryPosition {
  const set = DESIGN_SETS.findIndex(({ key }) => key === set_key);
  const rank = company_id === null ? (set < 0 ? DESIGN_SETS.length : set) : DESIGN_SETS.length + 1;
  return [rank, name, id];
}

function comparePositions(a: LibraryPosition, b: LibraryPosition): number {
  const byName = a[1] < b[1] ? -1 : Number(a[1] > b[1]);
  return a[0] - b[0] || byName || a[2] - b[2];
}

/** The rows of the page behind a position, at most `limit` and, with their designs, some MB; whether there are more. */
export function pageOf(
  all: readonly LibraryMetadata[],
  { after, limit, hasDesigns }: { after: LibraryPosition | null; limit: number; hasDesigns: boolean },
): { rows: LibraryMetadata[]; hasMore: boolean } {
  const ordered = all
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

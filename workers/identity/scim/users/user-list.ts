import type { ListAnchor } from "../../../../db/identity/scim";
import type { ScimCall } from "../protocol/endpoint";
import { parseFilter, requireFittingValues } from "../protocol/filter";
import type { Part } from "../protocol/list";
import { findTotals, type ListedUser, listUsers, storeAnchors } from "./user.store";
import { filterable, selectMatchingUsers } from "./user-filter.store";

/** The number of positions that are stored, so that several directories or parallel walks keep theirs. */
const MAX_ANCHORS = 4;

/**
 * Returns a part of the users of a company, by id, and the total. Without a filter, stores the position after this part, so that the
 * next part begins there. Throws 400 `invalidFilter`.
 */
export async function listDirectory(
  call: ScimCall,
  part: Part,
  filterText: string,
): Promise<{ total: number; rows: ListedUser[] }> {
  const { start, count } = part;
  if (filterText.trim() !== "") return listMatching(call, part, filterText);
  const { totals, page } = await call.read((companyId) => ({
    totals: findTotals({ companyId }),
    page: listUsers({ companyId, start, limit: count }),
  }));
  const { users: total, generation, anchors } = totals.first ?? { users: 0, generation: 0, anchors: [] };
  const last = page.rows.at(-1);
  const next = start + page.rows.length;
  if (last !== undefined && page.rows.length === count && next <= total)
    storeLater(call, generation, anchors, { start: next, after: last.id, generation });
  return { total, rows: page.rows };
}

async function listMatching(call: ScimCall, { start, count }: Part, text: string) {
  const filter = parseFilter(text);
  requireFittingValues(filter, filterable);
  const select = async (offset: number, limit: number) =>
    (await call.read((companyId) => ({ rows: selectMatchingUsers(companyId, filter, { offset, limit }) }))).rows.rows;
  const rows = count === 0 ? [] : await select(start - 1, count);
  // Only a row has the total, so a page without rows needs the first one.
  const [first] = rows.length > 0 || (count > 0 && start === 1) ? rows : await select(0, 1);
  return { total: first?.total ?? 0, rows };
}

/** Stores a position after the response, unless it is stored already. */
function storeLater(
  { services, company }: ScimCall,
  generation: number,
  anchors: ListAnchor[],
  anchor: ListAnchor,
): void {
  const valid = anchors.filter((stored) => stored.generation === generation && stored.start !== anchor.start);
  const isStored = anchors.some((stored) => stored.start === anchor.start && stored.generation === generation);
  if (isStored) return;
  const { id: companyId } = company();
  const newAnchors = [...valid, anchor].slice(-MAX_ANCHORS);
  services.afterResponse(() => services.db.run(storeAnchors({ companyId, generation, anchors: newAnchors })));
}

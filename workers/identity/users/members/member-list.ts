import { WALKED_ROWS } from "../../../kit/db/walk";
import type { Page } from "../../../kit/http/paging/page";
import { walkOfPage } from "../../../kit/http/paging/walk";
import { countMembers, listMembers, searchMembers, searchMembersByShortText } from "./member.store";

/** Ids of users are below it. */
export const HIGHEST_USER_ID = 2 ** 32 - 1;

/** Characters of the shortest text that the search finds. */
const SHORTEST_PHRASE = 3;

/**
 * The reads of a page of members, newest id first: all of them with their stored number, or those that the text finds. `after`
 * is a user id.
 */
export function selectMemberList(companyId: number, search: string, page: Page<[number]>) {
  const before = page.after?.[0] ?? HIGHEST_USER_ID;
  const { offset } = page;
  if (search === "") {
    const members = listMembers({ companyId, before, limit: page.limit + 1, offset });
    return { members, counted: page.after === null ? countMembers({ companyId }) : null };
  }
  const userId = /^[0-9]{1,15}$/.test(search) ? Number(search) : null;
  const searched = { companyId, before, userId, ...walkOfPage(page, true) };
  // A phrase of the search ends at a null character, which stands in no name.
  if ([...search].length < SHORTEST_PHRASE || search.includes("\0")) {
    // A member that is looked at is two rows: the membership and the user.
    return { members: searchMembersByShortText({ ...searched, look: WALKED_ROWS / 2, text: search }), counted: null };
  }
  return { members: searchMembers({ ...searched, phrase: `"${search.replaceAll('"', '""')}"` }), counted: null };
}

import { WALKED_ROWS } from "../../../kit/db/walk";
import type { Page } from "../../../kit/http/paging/page";
import { walkOfPage } from "../../../kit/http/paging/walk";
import { countMembers, listMembers, searchMembers, searchMembersByShortText } from "./member.store";

/** User ids are always below this value. */
export const HIGHEST_USER_ID = 2 ** 32 - 1;

/** Minimum number of characters for the full-text search. */
const SHORTEST_PHRASE = 3;

/**
 * Returns the statements that select a page of members, newest first. They select either all members and the stored number
 * of members, or the members that match `search`. The cursor is a user id.
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
  // A null character would end the phrase in the full-text query.
  if ([...search].length < SHORTEST_PHRASE || search.includes("\0")) {
    // Each member costs two row reads: the membership and the user.
    return {
      members: searchMembersByShortText({ ...searched, scanLimit: WALKED_ROWS / 2, text: search }),
      counted: null,
    };
  }
  return { members: searchMembers({ ...searched, phrase: `"${search.replaceAll('"', '""')}"` }), counted: null };
}

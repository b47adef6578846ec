import { MAX_SCANNED_ROWS } from "../../../kit/db/bounded-scan";
import type { Page } from "../../../kit/http/paging/page";
import { scanOfPage } from "../../../kit/http/paging/scan";
import { countMembers, listMembers, searchJoinRequests, searchMembers, searchMembersByShortText } from "./member.store";

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
  const userId = idOfSearch(search);
  const searched = { companyId, before, userId, ...scanOfPage(page, true) };
  // A null character would end the phrase in the full-text query.
  if ([...search].length < SHORTEST_PHRASE || search.includes("\0")) {
    // Each member costs two row reads: the membership and the user.
    return {
      members: searchMembersByShortText({ ...searched, scanLimit: MAX_SCANNED_ROWS / 2, text: search }),
      counted: null,
    };
  }
  return { members: searchMembers({ ...searched, phrase: `"${search.replaceAll('"', '""')}"` }), counted: null };
}

/**
 * Returns the statements that select a page of the members whose state is `pending`, newest first: all, or those that match
 * `search`.
 */
export function selectJoinRequests(companyId: number, search: string, page: Page<[number]>) {
  const before = page.after?.[0] ?? HIGHEST_USER_ID;
  // Each member costs two row reads: the membership and the user.
  const scan = { ...scanOfPage(page, true), scanLimit: MAX_SCANNED_ROWS / 2 };
  const members = searchJoinRequests({ companyId, before, userId: idOfSearch(search), text: search, ...scan });
  return { members, counted: null };
}

/** Returns the user id that the search text may be, or null. */
const idOfSearch = (search: string) => (/^[0-9]{1,15}$/.test(search) ? Number(search) : null);

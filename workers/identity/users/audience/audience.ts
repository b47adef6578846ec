import * as z from "zod";
import { type AudienceFilter, audienceFilter } from "../../../../schemas/identity/people/audience";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { MAX_AUDIENCE_PAGE } from "../../../../schemas/rpc";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import { type Page, readPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { Problem } from "../../problem";
import {
  type AudienceFilters,
  type AudienceRow,
  countAudience,
  countListedGroups,
  findScanEnd,
  listAudience,
  listAudienceOfIds,
  scanAudience,
} from "./audience.store";

/**
 * The number of members that a page by cursor scans. With the users and preferences of the rows it reads at most 5,000 rows.
 */
const SCANNED_MEMBERS = 800;
/**
 * The number of members that a page by cursor scans when the filter names groups. The scan then also reads the groups of
 * each member, of which ten are assumed.
 */
const SCANNED_WITH_GROUPS = 300;
const MAX_USER_ID = 2 ** 32 - 1;

const position = lazySchema(() => z.tuple([z.int().min(0).max(MAX_USER_ID)]));
const paging = {
  size: "page_size",
  defaultLimit: 100,
  maxLimit: MAX_AUDIENCE_PAGE,
  isNumbered: true,
  lastRow: Number.MAX_SAFE_INTEGER,
} as const;

/** The filters and the page of a request. `after` is the user id before a page by cursor. */
export type AudienceRequest = { filter: AudienceFilter; page: Page<[number]> };

/** Reads filters and page. Throws 400 `validation_failed` with the first invalid parameter in `field`. */
export function readAudience(query: Record<string, string>): AudienceRequest {
  return withField(() => ({
    filter: parse(audienceFilter, query),
    // An empty cursor is the first page by cursor.
    page: readPage(query.cursor === "" ? { ...query, cursor: encodeCursor([0]) } : query, position, paging),
  }));
}

function withField<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalidFilter(error.options.field_errors ?? {});
  }
}

/** Returns the error 400 for an invalid filter. `field` of the error is the first parameter, without a list index. */
function invalidFilter(errors: Record<string, string[]>): Problem {
  const byName: Record<string, string[]> = {};
  for (const [path, codes] of Object.entries(errors)) {
    const name = path.split(".")[0] ?? path;
    byName[name] = [...new Set([...(byName[name] ?? []), ...codes])];
  }
  return new Problem("validation_failed", { field_errors: byName, extra: { field: Object.keys(byName)[0] } });
}

/** Returns the statements of a request. Page numbers and counts read all members; a page by cursor reads a bounded part. */
export function selectAudience(companyId: number, { filter, page }: AudienceRequest) {
  const filters = filtersOf(filter);
  const userIds = filter.user_ids ?? null;
  const groupIds = filter.group_ids;
  const groupCount = groupIds === undefined ? null : countListedGroups({ companyId, groupIds });
  const { limit, offset } = page;
  const numbered = { companyId, ...filters, userIds };
  if (filter.count_only) return { groupCount, count: countAudience(numbered), rows: null, scanEnd: null };
  if (page.after === null) {
    return {
      groupCount,
      count: countAudience(numbered),
      rows: listAudience({ ...numbered, limit: limit + 1, offset }),
      scanEnd: null,
    };
  }
  const [after] = page.after;
  const cursorPage = { companyId, after, ...filters, limit: limit + 1 };
  if (userIds !== null)
    return { groupCount, count: null, rows: listAudienceOfIds({ ...cursorPage, userIds }), scanEnd: null };
  const scanLimit = groupIds === undefined ? SCANNED_MEMBERS : SCANNED_WITH_GROUPS;
  return {
    groupCount,
    count: null,
    rows: scanAudience({ ...cursorPage, scanLimit }),
    scanEnd: findScanEnd({ companyId, after, scanLimit }),
  };
}

function filtersOf(filter: AudienceFilter): AudienceFilters {
  const has = (role: "owner" | "staff" | "member") => filter.roles?.includes(role) ?? null;
  return {
    access: filter.access,
    isOwner: has("owner"),
    isStaff: has("staff"),
    isMember: has("member"),
    groupIds: filter.group_ids ?? null,
    joinedAfter: filter.joined_after ?? null,
    joinedBefore: filter.joined_before ?? null,
    seenAfter: filter.seen_after ?? null,
    seenBefore: filter.seen_before ?? null,
  };
}

type Results = {
  groupCount: { first: { total: number } | null } | null;
  count: { first: { total: number } | null } | null;
  rows: { rows: AudienceRow[] } | null;
  scanEnd: { first: { id: number } | null } | null;
};

/** Returns the response. Throws 400 `group_ids: [invalid]` for a group that does not belong to the company. */
export function presentAudience({ filter, page }: AudienceRequest, results: Results) {
  const listedGroups = new Set(filter.group_ids).size;
  if ((results.groupCount?.first?.total ?? 0) < listedGroups) throw invalidFilter({ group_ids: ["invalid"] });
  const count = results.count?.first?.total ?? 0;
  if (results.rows === null) return { count };
  const rows = results.rows.rows.slice(0, page.limit);
  const hasMoreRows = results.rows.rows.length > page.limit;
  const lastId = hasMoreRows ? rows.at(-1)?.id : results.scanEnd?.first?.id;
  return {
    ...(page.after === null ? { count, page: page.page } : {}),
    page_size: page.limit,
    results: rows,
    next_cursor: lastId === undefined ? null : encodeCursor([lastId]),
  };
}

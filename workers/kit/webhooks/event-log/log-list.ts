import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { Result } from "../../db/db";
import type { Bound } from "../../db/statement";
import { byNumber, type Page, readPage, splitPage } from "../../http/paging/page";
import { maxCount, splitWalk, walkOfPage } from "../../http/paging/walk";
import { idBefore } from "../../ids";
import type { Ended, ExactList, FilteredList, Range, UserRange } from "../event-store/rows";

/** A page of an event log, newest first: by page number, or after the event in a cursor. */
export type EventPage = Page<string>;

const positionSchema = lazySchema(() => z.tuple([z.guid()]).transform(([id]) => id));

/**
 * Reads `page`, `page_size` and `cursor` of a query. A cursor replaces the page number. Throws a 400 that names the
 * invalid fields.
 */
export const readEventPage = (query: Record<string, string>): EventPage => readPage(query, positionSchema, byNumber);

/** Returns the key range of a page: the events of a company within a time span (unix ms), after the cursor. */
export function rangeOfPage(
  company: number,
  { created_after = 0, created_before }: { created_after?: number | undefined; created_before?: number | undefined },
  { after }: EventPage,
): Range {
  const end = idBefore(created_before ?? Number.MAX_SAFE_INTEGER);
  return { company, above: idBefore(created_after), below: after !== null && after < end ? after : end };
}

/** The statements of a page: either its rows and their total, or a walk, which includes the total. */
export type PageReads<Row> = {
  rows: Bound<Row> | null;
  count: Bound<{ count: number }> | null;
  walked: Bound<Row & Ended> | null;
};

/** Returns the statements that read a page of a list whose rows are exactly one index range. */
export function selectExactPage<Row, R extends Range>(
  list: ExactList<Row, R>,
  range: R,
  page: EventPage,
): PageReads<Row> {
  const count = page.after === null ? list.count({ ...range, max: maxCount }) : null;
  return { rows: list.rows({ ...range, size: page.limit + 1, offset: page.offset }), count, walked: null };
}

/** Returns the statements that read a page of a list whose rows are filtered one by one. */
export function selectFilteredPage<Row, A>(
  list: FilteredList<Row, A>,
  range: UserRange,
  filters: A,
  page: EventPage,
): PageReads<Row> {
  return { rows: null, count: null, walked: list({ ...range, ...filters, ...walkOfPage(page, true) }) };
}

type Read<Row> = {
  rows: Result<Row> | null;
  count: Result<{ count: number }> | null;
  walked: Result<Row & Ended> | null;
};

/** Returns the rows of a page, their total, and the next cursor. */
export function toEventPage<Row extends { id: string }>(page: EventPage, { rows, count, walked }: Read<Row>) {
  const positionOf = ({ id }: { id: string }) => [id];
  if (walked !== null) return splitWalk(walked.rows, page, positionOf);
  const found = rows?.rows ?? [];
  return { ...splitPage(found, page.limit, positionOf), count: count?.first?.count ?? found.length };
}

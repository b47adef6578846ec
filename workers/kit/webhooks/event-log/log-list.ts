import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { Result } from "../../db/db";
import type { Bound } from "../../db/statement";
import { byNumber, type Page, readPage, splitPage } from "../../http/paging/page";
import { maxCount, scanOfPage, splitScan } from "../../http/paging/scan";
import { idBefore, requestHash } from "../../ids";
import { MINUTE_MS } from "../../time";
import type { Ended, ExactList, FilteredList, Range, UserRange } from "../event-store/rows";
import { timeOfId } from "../events/event-key";

/** A page of an event log, newest first: by page number, or after the event in a cursor. */
export type EventPage = Page<string>;

const positionSchema = lazySchema(() => z.tuple([z.guid()]).transform(([id]) => id));

/**
 * Reads `page`, `page_size` and `cursor` of a query. A cursor replaces the page number. Throws a 400 that names the
 * invalid fields.
 */
export const readEventPage = (query: Record<string, string>): EventPage => readPage(query, positionSchema, byNumber);

/** The filters of a list that limit its key range. Times are unix ms. */
type Period = Partial<Record<"created_after" | "created_before", number | undefined>> & {
  request_id?: string | undefined;
};

/** Returns the key range of a page: the events of a company within a time span, after the cursor. */
export function rangeOfPage(company: number, filter: Period, { after }: EventPage): Range {
  const { created_after = 0, created_before = Number.MAX_SAFE_INTEGER } = periodOf(filter);
  const end = idBefore(created_before);
  return { company, above: idBefore(created_after), below: after !== null && after < end ? after : end };
}

/** How long after its start a request may write events: a link's mail is retried for 5 minutes. */
const REQUEST_MS = 10 * MINUTE_MS;

/**
 * Returns the time span of a list. A time-ordered request id, such as the services generate, limits the list to the time of
 * the request, unless the filter has a time span.
 */
function periodOf(filter: Period): Period {
  const { created_after, created_before, request_id } = filter;
  if (request_id === undefined || created_after !== undefined || created_before !== undefined) return filter;
  if (!uuidV7Pattern.test(request_id)) return filter;
  const start = timeOfId(request_id);
  return { created_after: start - MINUTE_MS, created_before: start + REQUEST_MS };
}

const uuidV7Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns the value of the filter by request id; null when the filter is not used. */
export const hashOfRequest = (requestId: string | undefined): string | null =>
  requestId === undefined ? null : requestHash(requestId);

/** The statements of a page: either its rows and their total, or a bounded scan, which includes the total. */
export type PageReads<Row> = {
  rows: Bound<Row> | null;
  count: Bound<{ count: number }> | null;
  scanned: Bound<Row & Ended> | null;
};

/** Returns the statements that read a page of a list whose rows are exactly one index range. */
export function selectExactPage<Row, R extends Range>(
  list: ExactList<Row, R>,
  range: R,
  page: EventPage,
): PageReads<Row> {
  const count = page.after === null ? list.count({ ...range, max: maxCount }) : null;
  return { rows: list.rows({ ...range, size: page.limit + 1, offset: page.offset }), count, scanned: null };
}

/** Returns the statements that read a page of a list whose rows are filtered one by one. */
export function selectFilteredPage<Row, A>(
  list: FilteredList<Row, A>,
  range: UserRange,
  filters: A,
  page: EventPage,
): PageReads<Row> {
  return { rows: null, count: null, scanned: list({ ...range, ...filters, ...scanOfPage(page, true) }) };
}

type Read<Row> = {
  rows: Result<Row> | null;
  count: Result<{ count: number }> | null;
  scanned: Result<Row & Ended> | null;
};

/** Returns the rows of a page, their total, and the next cursor. */
export function toEventPage<Row extends { id: string }>(page: EventPage, { rows, count, scanned }: Read<Row>) {
  const positionOf = ({ id }: { id: string }) => [id];
  if (scanned !== null) return splitScan(scanned.rows, page, positionOf);
  const listed = rows?.rows ?? [];
  return { ...splitPage(listed, page.limit, positionOf), count: count?.first?.count ?? listed.length };
}

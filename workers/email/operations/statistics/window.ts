import { DECISION_DAYS } from "../../../../schemas/email/intake/decisions";
import type { FieldErrors } from "../../../../schemas/errors";
import { readInstant } from "../../../kit/http/request/instant";
import { invalid } from "../../../kit/problem";
import { DAY_MS } from "../../../kit/time";
import type { Parts, Span, Window } from "./stats.store";

const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;

/**
 * Reads `from` and `to`, which are dates (whole UTC days) or timestamps with an offset. The default is the last 30 days. Throws
 * 400 `from: [invalid|out_of_range]` or `to: [invalid|out_of_range]`; a span may have at most 400 days. Messages are kept for
 * `retentionMs` and decisions for 30 days. Older days can only be counted as whole days, because only their roll-ups remain.
 */
export function readWindow(
  query: { from?: string | undefined; to?: string | undefined },
  { now, retentionMs }: { now: number; retentionMs: number },
): Window {
  const fields: FieldErrors = {};
  const until = query.to === undefined ? now : readInstant(query.to, DAY_MS);
  const from = query.from === undefined ? startOfDay(until - DEFAULT_DAYS * DAY_MS) : readInstant(query.from, 0);
  if (Number.isNaN(from)) fields.from = ["invalid"];
  if (Number.isNaN(until)) fields.to = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  // A date in `to` includes that day, so the span ends at the start of the next day.
  const isDate = query.to !== undefined && readInstant(query.to, 0) !== until;
  if (from > until || (isDate && from === until)) throw invalid({ from: ["out_of_range"] });
  if (until - from > MAX_DAYS * DAY_MS) throw invalid({ to: ["out_of_range"] });
  return {
    from,
    until,
    counts: splitSpan({ from, until }, { now, retentionMs }),
    skips: splitSpan({ from, until }, { now, retentionMs: Math.min(retentionMs, DECISION_DAYS * DAY_MS) }),
  };
}

/** Splits a span into whole days, which are counted from roll-ups, and partial days, which are counted from rows. Rows are kept for `retentionMs`. */
function splitSpan({ from, until }: Span, { now, retentionMs }: { now: number; retentionMs: number }): Parts {
  const isRetained = (time: number) => time >= now - retentionMs;
  const first = isRetained(startOfDay(from)) ? endOfDay(from) : startOfDay(from);
  const last = until >= now || !isRetained(startOfDay(until)) ? endOfDay(until) : startOfDay(until);
  if (first > last) return { days: null, partial: [{ from, until }] };
  const ends = [
    { from, until: first },
    { from: last, until },
  ];
  return {
    days: first < last ? { from: first, until: last } : null,
    partial: ends.filter((span) => span.from < span.until),
  };
}

const startOfDay = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;
const endOfDay = (time: number) => Math.ceil(time / DAY_MS) * DAY_MS;

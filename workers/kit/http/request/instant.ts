import * as z from "zod";
import type { FieldErrors } from "../../../../schemas/errors";
import { DAY_MS } from "../../time";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** The last time that ISO 8601 expresses with a four-digit year. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Returns the unix ms of a date or of a timestamp with offset; NaN otherwise. A date is the start of its UTC day plus
 * `dayOffsetMs`.
 */
export function readInstant(text: string, dayOffsetMs: number): number {
  if (DATE.test(text)) {
    const ms = Date.parse(`${text}T00:00:00Z`);
    return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text
      ? Number.NaN
      : Math.min(ms + dayOffsetMs, LAST_MS);
  }
  return TIMESTAMP.test(text) ? Math.min(Date.parse(text), LAST_MS) : Number.NaN;
}

/**
 * Returns the span from `from` (inclusive, default 0) to `to` (exclusive, default unlimited) in unix ms. A date as `to`
 * includes its whole day. Faults are `from: [invalid]`, `from: [out_of_range]` and `to: [invalid]`.
 */
export function readSpan(query: { from?: string | undefined; to?: string | undefined }): {
  from: number;
  until: number;
  errors: FieldErrors;
} {
  const from = query.from === undefined ? 0 : readInstant(query.from, 0);
  const until = query.to === undefined ? Number.MAX_SAFE_INTEGER : readInstant(query.to, DAY_MS);
  const errors: FieldErrors = {};
  if (Number.isNaN(from)) errors.from = ["invalid"];
  else if (from >= until) errors.from = ["out_of_range"];
  if (Number.isNaN(until)) errors.to = ["invalid"];
  return { from, until, errors };
}

/** Returns the schema of a date or timestamp in a query, for the OpenAPI document. */
export const instantQuery = () => z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional();

import * as z from "zod";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Unix ms of a date, which means its UTC day and gets `ofDayMs` added, or of a timestamp with offset; NaN otherwise. */
export function readInstant(text: string, ofDayMs: number): number {
  if (DATE.test(text)) {
    const ms = Date.parse(`${text}T00:00:00Z`);
    return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? Number.NaN : ms + ofDayMs;
  }
  return TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
}

/** Such a time in a query, for the document. */
export const instantQuery = () => z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional();

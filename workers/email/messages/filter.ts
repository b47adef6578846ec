import { LANES } from "../../../schemas/email/lanes";
import { MESSAGE_STATUSES } from "../../../schemas/email/send";
import type { FieldErrors } from "../../../schemas/errors";
import { invalid } from "../../kit/problem";
import { DAY_MS } from "../../kit/time";
import type { EmailKeys } from "../keys";
import { hashAddress, readAddress } from "../recipients/address";
import type { MessageFilter } from "./message-list.store";

/** The query of `GET /api/v1/messages`, as text. */
export type MessageQuery = {
  [name in "status" | "lane" | "template_key" | "event_type" | "service" | "email" | "from" | "to"]?:
    | string
    | undefined;
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Filters of a list of messages. 400: an unknown status or lane `[invalid]`, an address that is none `[invalid_format]`, a
 * time that is none `[invalid]`, a start that is not before the end `[out_of_range]`.
 */
export async function readMessageFilter(query: MessageQuery, keys: EmailKeys): Promise<MessageFilter> {
  const fields: FieldErrors = {};
  const status = readWords(query.status);
  const lane = readWords(query.lane);
  if (status?.some((word) => !MESSAGE_STATUSES.some((known) => known === word))) fields.status = ["invalid"];
  if (lane?.some((word) => !LANES.some((known) => known === word))) fields.lane = ["invalid"];
  const address = query.email === undefined ? null : readAddress(query.email);
  if (query.email !== undefined && address === null) fields.email = ["invalid_format"];
  const from = query.from === undefined ? 0 : readTime(query.from, 0);
  const until = query.to === undefined ? Number.MAX_SAFE_INTEGER : readTime(query.to, DAY_MS);
  if (Number.isNaN(from)) fields.from = ["invalid"];
  else if (from >= until) fields.from = ["out_of_range"];
  if (Number.isNaN(until)) fields.to = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return {
    from,
    until,
    status,
    lane,
    templateKey: readWords(query.template_key),
    eventType: readWords(query.event_type),
    service: readWords(query.service),
    hashes: address === null ? null : await Promise.all(keys.peppers.map((pepper) => hashAddress(pepper, address))),
  };
}

/** A comma list; an empty one filters nothing. */
function readWords(text: string | undefined): string[] | null {
  const words = (text ?? "").split(",").flatMap((word) => word.trim() || []);
  return words.length === 0 ? null : words;
}

/** Unix ms of a date, which means its UTC day and gets `ofDayMs` added, or of a timestamp with offset; NaN otherwise. */
function readTime(text: string, ofDayMs: number): number {
  if (DATE.test(text)) {
    const ms = Date.parse(`${text}T00:00:00Z`);
    return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? Number.NaN : ms + ofDayMs;
  }
  return TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
}

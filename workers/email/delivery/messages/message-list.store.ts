import { and, desc, eq, gte, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { broadcasts, isTroubled, messages, troubledStatuses } from "../../../../db/email/schema";
import { boundedScan, MAX_SCANNED_ROWS, type ScanInputs, scanParameters } from "../../../kit/db/bounded-scan";
import { integer, type Kind, nullable, type ValueOf } from "../../../kit/db/kind";
import { filterUnlessNull, indexedBy, selectRows, tableReference } from "../../../kit/db/query";
import { type Bound, type RowOfStatement, statement } from "../../../kit/db/statement";
import { scanOfLimit } from "../../../kit/http/paging/scan";

const message = alias(messages, "message");
const candidate = alias(messages, "candidate");

/** The columns of a listed message. None of them is encrypted. */
const listColumns = {
  id: message.id,
  service: message.service,
  template_key: message.template_key,
  event_type: message.event_type,
  language: message.language,
  lane: message.lane,
  status: message.status,
  to_masked: message.to_masked,
  accepted_at: message.accepted_at,
  last_error_code: message.last_error_code,
};

/** The filters of a message list. A null filter matches every message. Times are in unix ms; `until` is exclusive. */
export type MessageFilter = {
  from: number;
  until: number;
  status: readonly string[] | null;
  lane: readonly string[] | null;
  templateKey: readonly string[] | null;
  eventType: readonly string[] | null;
  service: readonly string[] | null;
  requestId: string | null;
  broadcastId: number | null;
  /** hashes of the address with the current and the previous pepper */
  hashes: readonly string[] | null;
};

/** Binds strings without commas as `,one,two,`. Searching this text reads no rows, but json_each reads one row per value. */
const stringList: Kind<readonly string[]> = {
  mapToDriverValue: (list) => `,${list.join(",")},`,
  mapFromDriverValue: (stored) => String(stored).split(",").slice(1, -1),
};
const nullableTexts = nullable(stringList);
const filters = {
  companyId: candidate.company_id,
  beforeTime: integer,
  beforeId: candidate.id,
  from: integer,
  status: nullableTexts,
  lane: nullableTexts,
  templateKey: nullableTexts,
  eventType: nullableTexts,
  service: nullableTexts,
  requestId: nullable(candidate.request_id),
  broadcastId: nullable(integer),
};

type FilterParameters = { [K in keyof typeof filters]: SQL<ValueOf<(typeof filters)[K]>> };

const isAmong = (column: AnySQLiteColumn, list: SQL<readonly string[] | null>) =>
  filterUnlessNull(list, sql`instr(${list}, ',' || ${column} || ',') > 0`);

const fitsWithout = (p: Omit<FilterParameters, "status">) =>
  and(
    isAmong(candidate.lane, p.lane),
    isAmong(candidate.template_key, p.templateKey),
    isAmong(candidate.event_type, p.eventType),
    isAmong(candidate.service, p.service),
    filterUnlessNull(p.requestId, sql`${candidate.request_id} = ${p.requestId}`),
    // No other mail has the template of a broadcast, and the index contains the template key.
    filterUnlessNull(
      p.broadcastId,
      sql`${candidate.template_key} = (select ${broadcasts.template_key} from ${broadcasts}
        where ${broadcasts.id} = ${p.broadcastId} and ${broadcasts.company_id} = ${p.companyId})`,
    ),
  );

const matchesFilters = (p: FilterParameters) => and(isAmong(candidate.status, p.status), fitsWithout(p));

const isInRange = (p: Pick<FilterParameters, "companyId" | "beforeTime" | "beforeId" | "from">) =>
  and(
    eq(candidate.company_id, p.companyId),
    sql`(${candidate.accepted_at}, ${candidate.id}) < (${p.beforeTime}, ${p.beforeId})`,
    gte(candidate.accepted_at, p.from),
  );

const pageOf = (p: ScanInputs, source: Parameters<typeof boundedScan>[0]) => {
  const page = boundedScan(source, p);
  return selectRows(
    { ...listColumns, ...page.end },
    (
      columns,
    ) => sql`select ${columns} from ${page.from} cross join ${tableReference(message)} on ${message.id} = ${page.key}
      order by ${desc(message.accepted_at)}, ${desc(message.id)}`,
  );
};

const newestOf = (index: string, range: SQL | undefined) =>
  sql`from ${indexedBy(candidate, index)} where ${range} order by ${desc(candidate.accepted_at)}, ${desc(candidate.id)}`;

const { status: _, ...filtersWithoutStatus } = filters;

// The index covers every filtered column, so the query reads only the messages of the page from the table.
const findPage = statement({ ...filtersWithoutStatus, ...scanParameters }, (p) =>
  pageOf(p, { key: candidate.id, matches: sql`${fitsWithout(p)}`, range: newestOf("messages_company", isInRange(p)) }),
);

const findPageOfStatus = statement({ ...filters, ...scanParameters }, (p) =>
  pageOf(p, {
    key: candidate.id,
    matches: sql`${matchesFilters(p)}`,
    range: newestOf("messages_company", isInRange(p)),
  }),
);

const findTroubledPage = statement({ ...filters, ...scanParameters }, (p) => {
  const range = newestOf("messages_troubled", and(isInRange(p), isTroubled(candidate.status)));
  return pageOf(p, { key: candidate.id, matches: sql`${matchesFilters(p)}`, range });
});

// Reads the messages of both hashes in time order and merges them, so it reads at most `scanLimit` messages.
const findPageOfAddress = statement(
  { ...filters, ...scanParameters, hash: candidate.email_hmac, previousHash: candidate.email_hmac },
  (p) => {
    const ofHash = (
      hash: SQL,
    ) => sql`select ${candidate.id} as id, ${matchesFilters(p)} as fits, ${candidate.accepted_at} as at
      from ${indexedBy(candidate, "messages_address")} where ${isInRange(p)} and ${eq(candidate.email_hmac, hash)}`;
    const range = sql`from (${ofHash(p.hash)} union all ${ofHash(p.previousHash)}
      order by at desc, id desc limit ${p.scanLimit}) merged`;
    return pageOf(p, { key: sql`merged.id`, matches: sql`merged.fits`, range });
  },
);

export type MessageListRow = RowOfStatement<typeof findPage>;

/** Statement: one page of the messages of a company, newest first. `after`: the sort values of the last row before the page. */
export function listMessages(
  companyId: number,
  { hashes, until, ...filter }: MessageFilter,
  { limit, after }: { limit: number; after: readonly [number, string] | null },
): Bound<MessageListRow> {
  // SQLite uses only the first of two upper bounds on an index, so `until` and `after` become one bound.
  const isAfter = after !== null && after[0] < until;
  const [beforeTime, beforeId] = isAfter ? after : [until, ""];
  const { status, ...others } = filter;
  const values = { companyId, beforeTime, beforeId, ...others, ...scanOfLimit(limit) };
  if (hashes === null && status === null) return findPage(values);
  const withStatus = { ...values, status };
  if (hashes === null) {
    const find = status?.every((value) => troubledStatuses.includes(value)) ? findTroubledPage : findPageOfStatus;
    return find(withStatus);
  }
  const [hash = "", previousHash = ""] = hashes;
  // Merging and sorting read each row three times.
  return findPageOfAddress({ ...withStatus, scanLimit: Math.floor(MAX_SCANNED_ROWS / 3), hash, previousHash });
}

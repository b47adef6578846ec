import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { addEvent, ENDED, isWaiting } from "../../../db/email/messages";
import type { MessageRow, ServiceClientRow } from "../../../db/email/rows";
import { messages, service_clients } from "../../../db/email/schema";
import { activeKeyOf } from "../../../db/email/service-clients";
import { countMoves, isCounted } from "../../../db/email/stats";
import type { Db } from "../../kit/db/db";
import { integer, json, nullable, type ValueOf } from "../../kit/db/kind";
import { all, indexedBy, inList, q, type RowOf, rows } from "../../kit/db/query";
import { type Bound, statement } from "../../kit/db/statement";

const m = messages;

/** What lists show; nothing sealed is read. */
const listColumns = {
  id: m.id,
  service: m.service,
  template_key: m.template_key,
  event_type: m.event_type,
  language: m.language,
  lane: m.lane,
  status: m.status,
  to_masked: m.to_masked,
  accepted_at: m.accepted_at,
  last_error_code: m.last_error_code,
};

export type MessageListRow = RowOf<typeof listColumns>;

const findMessage = statement({ id: m.id }, (p) => q.select(all(m)).from(m).where(eq(m.id, p.id)));

const findKey = statement({ keyHash: service_clients.key_hash, now: integer }, (p) => activeKeyOf(p.keyHash, p.now));

/** A message, and the client of a service key where `credential` is given; one round trip. */
export async function readMessage(
  db: Db,
  id: string,
  credential: { keyHash: string; now: number } | null,
): Promise<{ message: MessageRow | null; key: ServiceClientRow | null }> {
  const { message, key } = await db.batch({
    message: findMessage({ id }),
    key: credential === null ? null : findKey(credential),
  });
  return { message: message.first, key: key?.first ?? null };
}

// The roll-up by the guard of the move, and then the move: a repeat finds nothing that the guard lets through.

const one = { id: m.id, companyId: m.company_id };
const isMovable = (p: { id: SQL<string>; companyId: SQL<number> }) =>
  sql`${m.id} = ${p.id} and ${m.company_id} = ${p.companyId} and ${isWaiting}`;

const countCancelled = statement(one, (p) =>
  countMoves(["cancelled"], sql`'cancelled'`, sql`from ${m} where ${isMovable(p)} and ${isCounted}`),
);

const moveCancelled = statement({ ...one, now: integer }, (p) =>
  q
    .update(m)
    .set({ ...ENDED, status: "cancelled", events: addEvent("cancelled", p.now) })
    .where(isMovable(p)),
);

/** Cancels a waiting message and wipes its variables; false when a consumer has it or it is final. */
export async function cancelMessage(db: Db, companyId: number, id: string, now: number): Promise<boolean> {
  const { moved } = await db.batch({
    counted: countCancelled({ id, companyId }),
    moved: moveCancelled({ id, companyId, now }),
  });
  return moved.changes > 0;
}

/** Filters of a list; a null list keeps everything. Times in unix ms, `until` excluded. */
export type MessageFilter = {
  from: number;
  until: number;
  status: readonly string[] | null;
  lane: readonly string[] | null;
  templateKey: readonly string[] | null;
  eventType: readonly string[] | null;
  service: readonly string[] | null;
  /** hashes of one address */
  hashes: readonly string[] | null;
};

const words = json<readonly string[]>();
const maybeWords = nullable(words);
const asked = {
  companyId: m.company_id,
  beforeTime: integer,
  beforeId: m.id,
  from: integer,
  until: integer,
  status: maybeWords,
  lane: maybeWords,
  templateKey: maybeWords,
  eventType: maybeWords,
  service: maybeWords,
  limit: integer,
};

const isAmong = (column: AnySQLiteColumn, list: SQL<readonly string[] | null>) =>
  or(isNull(list), inList(column, list));

const isAsked = (p: { [K in keyof typeof asked]: SQL<ValueOf<(typeof asked)[K]>> }) =>
  and(
    eq(m.company_id, p.companyId),
    sql`(${m.accepted_at}, ${m.id}) < (${p.beforeTime}, ${p.beforeId})`,
    gte(m.accepted_at, p.from),
    lt(m.accepted_at, p.until),
    isAmong(m.status, p.status),
    isAmong(m.lane, p.lane),
    isAmong(m.template_key, p.templateKey),
    isAmong(m.event_type, p.eventType),
    isAmong(m.service, p.service),
  );

const findPage = statement(asked, (p) =>
  q.select(listColumns).from(m).where(isAsked(p)).orderBy(desc(m.accepted_at), desc(m.id)).limit(p.limit),
);

// Without the name of the index the planner walks the whole company by time.
const findPageOfAddress = statement({ ...asked, hashes: words }, (p) =>
  rows(
    listColumns,
    (columns) => sql`select ${columns} from ${indexedBy(m, "messages_address")}
      where ${and(isAsked(p), inList(m.email_hmac, p.hashes))}
      order by ${desc(m.accepted_at)}, ${desc(m.id)} limit ${p.limit}`,
  ),
);

/** Messages of a company, newest first, after the row with these sort values; `limit + 1` rows for the cursor. */
export function listMessages(
  companyId: number,
  { hashes, ...filter }: MessageFilter,
  { limit, after }: { limit: number; after: readonly [number, string] | null },
): Bound<MessageListRow> {
  const [beforeTime, beforeId] = after ?? [Number.MAX_SAFE_INTEGER, ""];
  const values = { companyId, beforeTime, beforeId, ...filter, limit: limit + 1 };
  return hashes === null ? findPage(values) : findPageOfAddress({ ...values, hashes });
}

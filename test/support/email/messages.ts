import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { MessageRow } from "../../../db/email/rows";
import { default_contents, messages, stats_days, stats_marks } from "../../../db/email/schema";
import { COUNT_KEYS } from "../../../schemas/email/delivery/stats";
import { shownTrace } from "../../../workers/email/delivery/messages/stored-trace";
import { keysOf } from "../../../workers/email/keys";
import { messageAad } from "../../../workers/email/records/seal/seal";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import { messageId } from "../../../workers/kit/ids";
import { testEnv } from "./email";
import { db, readRows, runTogether } from "./rows";

const CHECKSUM = "delivery-harness-content";

/** Returns the HMAC of the address of stored messages of a company. */
export const hmacOf = (companyId: number): string => companyId.toString(16).padStart(64, "0");

/** The statuses of messages that a provider accepted. */
const ACCEPTED = ["sent", "delivered", "delivery_delayed", "bounced", "complained"];

/** Returns an address that no other test uses. */
export const uniqueAddress = () => `u${crypto.randomUUID().slice(0, 12)}@example.com`;

/** Returns a message id (32 hex characters) for a creation time (ms since the epoch). */
export function idAt(ms: number): string {
  return ms.toString(16).padStart(12, "0") + messageId().slice(16);
}

/**
 * Stores a message as an accepted request does: encrypted, with status `queued`. Returns its id (32 hex characters).
 */
export async function storeMessage(
  companyId: number,
  overrides: Partial<MessageRow> & { variables?: Record<string, string>; to?: string } = {},
): Promise<string> {
  const { variables, to = "mina@example.com", ...columns } = overrides;
  const now = clock.now();
  const id = idAt(columns.accepted_at ?? now);
  const keys = await keysOf(testEnv);
  const isFinal = !["queued", "sending", "retrying"].includes(columns.status ?? "queued");
  const lane = columns.lane ?? "auth";
  const row: MessageRow = {
    id,
    company_id: companyId,
    service: "identity",
    client_id: null,
    send_request_id: null,
    idempotency_key: null,
    fingerprint: null,
    template_key: "identity.auth.magic_link.requested",
    event_type: lane === "auth" ? "identity.auth.magic_link.requested" : "identity.user.invitation_revoked",
    version_id: null,
    default_checksum: CHECKSUM,
    template_version: null,
    language: "en",
    lane,
    category: lane,
    scope: "platform",
    status: "queued",
    to_enc: await seal(to, keys.variables, messageAad("to_enc", companyId, id)),
    to_masked: "m***@example.com",
    to_user_id: null,
    email_hmac: hmacOf(companyId),
    variables_enc: await seal(
      JSON.stringify(variables ?? { company_name: "Aster", magic_link_url: "https://auth.example.com/x?t=secret" }),
      keys.variables,
      messageAad("variables_enc", companyId, id),
    ),
    provider: "",
    provider_message_id: null,
    attempt_count: 0,
    claim_count: 0,
    next_attempt_at: isFinal ? null : (columns.accepted_at ?? now),
    locked_until: null,
    lease_token: null,
    data_started: false,
    accepted_at: now,
    expires_at: lane === "auth" ? now + 120_000 : null,
    sent_at: ACCEPTED.includes(columns.status ?? "") ? now : null,
    rank: 0,
    last_error_code: null,
    bounce: null,
    trace: {},
    events: [],
    request_id: "req-of-accept",
    attachments_id: null,
    broadcast_id: null,
    list_id: null,
    ...columns,
  };
  await runTogether(insertContent(), db.insert(messages).values(row), countLate(row));
  return id;
}

/** Returns the statement that counts a message on its day if the last roll-up has already passed its time. */
function countLate({ id, company_id, accepted_at, lane, event_type }: MessageRow) {
  const { queued, ...key } = stats_days;
  const day = new Date(accepted_at).toISOString().slice(0, 10);
  const row: Record<string, unknown> = { company_id, day, lane, event_type, queued: 1 };
  const values = Object.keys(getTableColumns(stats_days)).map((name) => sql`${row[name] ?? 0}`);
  const isLate = sql`${stats_marks.counted_before} > ${Number.parseInt(id.slice(0, 12), 16)}`;
  return db
    .insert(stats_days)
    .select(sql`select ${sql.join(values, sql`, `)} from ${stats_marks} where ${isLate}`)
    .onConflictDoUpdate({
      target: [key.company_id, key.day, key.lane, key.event_type],
      set: { queued: sql`${queued} + 1` },
    });
}

/** Returns the statement that stores the default content of all stored messages, unless it is already stored. */
function insertContent() {
  return db
    .insert(default_contents)
    .values({
      checksum: CHECKSUM,
      event_type: "test",
      language: "en",
      subject: "Sign in to {{ company_name }}",
      html: "<p>{{ magic_link_url }}</p>",
      text: "{{ magic_link_url }}",
      created_at: 0,
      current: false,
    })
    .onConflictDoNothing();
}

/** Reads the row of a message; throws when there is none. */
export async function readMessage(id: string): Promise<MessageRow> {
  const [row] = await readRows(messages, eq(messages.id, id));
  if (row === undefined) throw new Error("no such message");
  return row;
}

/** Returns the types of a message's events, in order. */
export async function eventsOf(id: string): Promise<string[]> {
  return (await readMessage(id)).events.map(({ type }) => type);
}

/** Returns a row with its trace as the API shows it. */
export const withShownTrace = (row: MessageRow): MessageRow => ({ ...row, trace: shownTrace(row.trace) });

/** Returns the delivery attempts in the trace of a message. */
export async function attemptsOf(id: string): Promise<Record<string, unknown>[]> {
  const { delivery = [] } = withShownTrace(await readMessage(id)).trace as { delivery?: Record<string, unknown>[] };
  return delivery;
}

/** Returns a company's counts that are not 0. They include the roll-ups and the messages that are not rolled up yet. */
export async function countsOf(companyId: number): Promise<Record<string, number>> {
  const days = await readRows(stats_days, eq(stats_days.company_id, companyId));
  const isUncounted = sql`${messages.id} >= (select printf('%012x', ${stats_marks.counted_before}) from ${stats_marks})`;
  const uncounted = await readRows(messages, and(eq(messages.company_id, companyId), isUncounted));
  const isIn = (key: (typeof COUNT_KEYS)[number], { status, sent_at }: MessageRow) => {
    if (key === "sent") return sent_at !== null;
    return key === "queued" ? ["queued", "sending", "retrying"].includes(status) : status === key;
  };
  const sums = COUNT_KEYS.map((key) => {
    const rolledUp = days.reduce((sum, day) => sum + day[key], 0);
    return [key, rolledUp + uncounted.filter((row) => isIn(key, row)).length] as const;
  });
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

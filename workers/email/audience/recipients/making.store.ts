import { type SQLWrapper, sql } from "drizzle-orm";
import { appliesToList } from "../../../../db/email/conditions/blocked";
import { firstEvents } from "../../../../db/email/conditions/messages";
import { isInForce } from "../../../../db/email/conditions/pauses";
import { countMessages, isCounted } from "../../../../db/email/conditions/stats";
import type { BroadcastRow, MessageRow, RecipientRow } from "../../../../db/email/rows";
import {
  broadcast_recipients,
  broadcasts,
  company_profiles,
  company_providers,
  lane_states,
  messages,
  subscribers,
  suppressions,
  templates,
  unsubscribes,
} from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { boolean, integer, json, text } from "../../../kit/db/kind";
import {
  assignments,
  insertSelect,
  isInList,
  jsonEach,
  nullableColumn,
  type SelectedRow,
  selectRows,
} from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { followedBy, statement } from "../../../kit/db/statement";
import { isHeld, type Lease, leaseParameters, releaseLostStep } from "./step.store";

const { id } = broadcasts;
const recipient = broadcast_recipients;

/** Returns the condition that a pause holds back the mail of a row of broadcasts. */
const isPaused = (platform: SQLWrapper) => sql`exists (select 1 from ${lane_states}
  where ${lane_states.lane} = 'bulk' and ${lane_states.paused} = 1
    and (${lane_states.company_id} = 0 or (${lane_states.company_id} = ${broadcasts.company_id}
      and ${lane_states.scope} = ${broadcasts.scope} and ${isInForce(platform)})))`;

// The company name is that of other mail of the company; see resolveCompanyName.
const findFacts = statement({ id, platform: text }, (p) =>
  selectRows(
    {
      paused: isPaused(p.platform).mapWith(boolean),
      name: nullableColumn(company_profiles.name),
      provider: nullableColumn(company_providers.provider),
      from_name: nullableColumn(company_providers.from_name),
      source_key: nullableColumn(templates.source_key),
    },
    (columns) => sql`select ${columns} from ${broadcasts}
      left join ${company_profiles} on ${company_profiles.company_id} = ${broadcasts.company_id}
      left join ${company_providers} on ${company_providers.company_id} = ${broadcasts.company_id}
      left join ${templates} on ${templates.id} = ${broadcasts.template_id} where ${id} = ${p.id}`,
  ),
);

const isUnsubscribed = sql`exists (select 1 from ${unsubscribes}
  where ${unsubscribes.company_id} = ${broadcasts.company_id} and ${unsubscribes.email_hmac} = ${recipient.email_hmac}
    and ${unsubscribes.category} in ('bulk', 'list-' || ${broadcasts.list_id}) and ${appliesToList(broadcasts.list_id)})`;

const isSuppressed = (now: SQLWrapper) => sql`exists (select 1 from ${suppressions}
  where ${suppressions.company_id} = ${broadcasts.company_id} and ${suppressions.email_hmac} = ${recipient.email_hmac}
    and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${now})
    and (${suppressions.lanes} = '[]' or exists (select 1 from json_each(${suppressions.lanes}) l where l.value = 'bulk')))`;

const pageFields = (now: SQLWrapper) => ({
  email_hmac: recipient.email_hmac,
  user_id: recipient.user_id,
  subscriber_id: recipient.subscriber_id,
  contact_enc: recipient.contact_enc,
  email_masked: recipient.email_masked,
  email_enc: nullableColumn(subscribers.email_enc),
  first_name_enc: nullableColumn(subscribers.first_name_enc),
  seal_id: nullableColumn(subscribers.seal_id),
  subscription: nullableColumn(subscribers.status),
  is_unsubscribed: isUnsubscribed.mapWith(boolean),
  is_suppressed: isSuppressed(now).mapWith(boolean),
});

// A subscriber who was wiped is a left join without a row, and is skipped as unsubscribed.
const findPage = statement({ id, cursor: recipient.email_hmac, now: integer, limit: integer }, (p) =>
  selectRows(
    pageFields(p.now),
    (columns) => sql`select ${columns} from ${recipient} cross join ${broadcasts} on ${id} = ${p.id}
      left join ${subscribers} on ${subscribers.id} = ${recipient.subscriber_id}
      where ${recipient.broadcast_id} = ${p.id} and ${recipient.email_hmac} > ${p.cursor} and ${recipient.status} = 'pending'
      order by ${recipient.email_hmac} limit ${p.limit}`,
  ),
);

/** A waiting recipient, and whether its address must not get bulk mail now. */
export type WaitingRecipient = SelectedRow<ReturnType<typeof pageFields>>;

/** Returns the statements that read the next waiting recipients of a broadcast, and what their messages need. */
export const selectMakingFacts = (
  row: BroadcastRow,
  { platform, now, limit }: { platform: string; now: number; limit: number },
) => ({
  facts: findFacts({ id: row.id, platform }),
  page: findPage({ id: row.id, cursor: row.cursor, now, limit }),
});

const hashes = json<readonly string[]>();

const findBlocked = statement({ companyId: unsubscribes.company_id, hashes, category: text, now: integer }, (p) =>
  selectRows(
    { email_hmac: unsubscribes.email_hmac, isUnsubscribed: sql`1`.mapWith(boolean) },
    (columns) => sql`select ${columns} from ${unsubscribes}
      where ${unsubscribes.company_id} = ${p.companyId} and ${isInList(unsubscribes.email_hmac, p.hashes)} and ${unsubscribes.category} in ('bulk', ${p.category})
      union all select ${suppressions.email_hmac}, 0 from ${suppressions}
      where ${suppressions.company_id} = ${p.companyId} and ${isInList(suppressions.email_hmac, p.hashes)}
        and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${p.now})
        and (${suppressions.lanes} = '[]' or exists (select 1 from json_each(${suppressions.lanes}) l where l.value = 'bulk'))`,
  ),
);

/** Statement: which of the hashes must not get bulk mail of a category. Rows from before a rotation have hashes of the old pepper. */
export const findBlockedHashes = (input: {
  companyId: number;
  hashes: readonly string[];
  category: string;
  now: number;
}) => findBlocked(input);

/** A message to create for a recipient. */
export type NewBroadcastMessage = Pick<
  MessageRow,
  "id" | "to_enc" | "to_masked" | "to_user_id" | "email_hmac" | "variables_enc"
>;

/** The columns that the messages of a step share. */
export type SharedMessage = Pick<MessageRow, "category" | "trace" | "request_id">;

const insertMessages = statement(
  {
    ...leaseParameters,
    items: json<readonly NewBroadcastMessage[]>(),
    category: messages.category,
    trace: messages.trace,
    requestId: messages.request_id,
    now: integer,
  },
  (p) => {
    const { from, item } = jsonEach(p.items);
    return insertSelect(
      messages,
      {
        id: item.id,
        company_id: broadcasts.company_id,
        service: "broadcast",
        template_key: broadcasts.template_key,
        event_type: "broadcast",
        version_id: broadcasts.version_id,
        template_version: broadcasts.template_version,
        language: broadcasts.language,
        lane: "bulk",
        category: p.category,
        scope: broadcasts.scope,
        status: "queued",
        to_enc: item.to_enc,
        to_masked: item.to_masked,
        to_user_id: item.to_user_id,
        email_hmac: item.email_hmac,
        variables_enc: item.variables_enc,
        next_attempt_at: p.now,
        accepted_at: p.now,
        trace: p.trace,
        events: firstEvents(sql`'queued'`, p.now),
        request_id: p.requestId,
        broadcast_id: id,
        list_id: broadcasts.list_id,
      },
      // A recipient that was erased after it was read gets no message.
      sql`from ${broadcasts} cross join ${from} where ${isHeld(p)} and exists (select 1 from ${recipient}
        where ${recipient.broadcast_id} = ${p.id} and ${recipient.email_hmac} = ${item.email_hmac} and ${recipient.status} = 'pending')`,
    );
  },
);

const countLate = statement({ ids: json<readonly string[]>() }, (p) => {
  const idList = jsonEach(p.ids);
  return countMessages(
    sql`from ${idList.from} cross join ${messages} on ${messages.id} = ${idList.value} where ${isCounted}`,
  );
});

const isListed = (p: { id: SQLWrapper; hashes: Parameters<typeof isInList>[1] }) =>
  sql`${recipient.broadcast_id} = ${p.id} and ${isInList(recipient.email_hmac, p.hashes)} and ${recipient.status} = 'pending'`;

const holdsLease = (p: Parameters<typeof isHeld>[0]) => sql`exists (select 1 from ${broadcasts} where ${isHeld(p)})`;

const deleteMade = statement(
  { ...leaseParameters, hashes },
  (p) => sql`delete from ${recipient} where ${isListed(p)} and ${holdsLease(p)}`,
);

// The statements that count rows must directly follow those that change the rows.
const countMade = statement(leaseParameters, (p) => {
  const change = { pending: sql`${broadcasts.pending} - changes()`, messages: sql`${broadcasts.messages} + changes()` };
  return sql`update ${broadcasts} set ${assignments(broadcasts, change)} where ${isHeld(p)}`;
});

const skip = statement({ ...leaseParameters, hashes, status: recipient.status }, (p) => {
  const change = assignments(recipient, { status: p.status, contact_enc: null });
  return sql`update ${recipient} set ${change} where ${isListed(p)} and ${holdsLease(p)}`;
});

const countSkipped = (column: "skipped_unsubscribed" | "skipped_suppressed") =>
  statement(leaseParameters, (p) => {
    const change = {
      pending: sql`${broadcasts.pending} - changes()`,
      [column]: sql`${broadcasts[column]} + changes()`,
    };
    return sql`update ${broadcasts} set ${assignments(broadcasts, change)} where ${isHeld(p)}`;
  });

const counters = {
  skipped_unsubscribed: countSkipped("skipped_unsubscribed"),
  skipped_suppressed: countSkipped("skipped_suppressed"),
};

const moveOn = statement({ ...leaseParameters, next: broadcasts.cursor, now: integer }, (p) => {
  const change = assignments(broadcasts, { cursor: p.next, failed_steps: 0, updated_at: p.now });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

/** The results of a page of recipients: messages to create, and recipients without a message. */
export type MadePage = {
  messages: readonly NewBroadcastMessage[];
  shared: SharedMessage;
  skipped: Record<Exclude<RecipientRow["status"], "pending">, readonly string[]>;
  /** the last recipient of the page */
  next: string;
};

/**
 * Creates the messages of a page, deletes their recipients and moves to the next position, in one transaction. Returns false
 * when the step has lost the broadcast; nothing is stored then. `now` is in unix ms.
 */
export async function storeMade(
  db: Db,
  lease: Lease,
  { messages: items, shared, skipped, next }: MadePage,
  now: number,
): Promise<boolean> {
  const { category, trace, request_id: requestId } = shared;
  const made = items.map(({ email_hmac }) => email_hmac);
  const statuses = ["skipped_unsubscribed", "skipped_suppressed"] as const;
  const { moved } = await db.batch({
    messages: toSlices(items).map((slice) =>
      insertMessages({ ...lease, items: slice, category, trace, requestId, now }),
    ),
    counted: items.length === 0 ? null : countLate({ ids: items.map((item) => item.id) }),
    made: items.length === 0 ? null : followedBy(deleteMade({ ...lease, hashes: made }), countMade(lease)),
    skipped: statuses.flatMap((status) =>
      skipped[status].length === 0
        ? []
        : followedBy(skip({ ...lease, status, hashes: skipped[status] }), counters[status](lease)),
    ),
    moved: moveOn({ ...lease, next, now }),
  });
  return moved.changes > 0;
}

// The part may have moved the position. Only a pause or a cancellation changes the state.
const { cursor: _cursor, ...releaseParameters } = leaseParameters;
const finish = statement({ ...releaseParameters, nextAt: integer }, (p) => {
  const change = assignments(broadcasts, {
    step_token: null,
    step_until: null,
    failed_steps: 0,
    next_step_at: p.nextAt,
  });
  return sql`update ${broadcasts} set ${change}
    where ${id} = ${p.id} and ${broadcasts.step_token} = ${p.token} and ${isInList(broadcasts.state, p.states)}`;
});

/**
 * Gives the lease back; the next step is due at `nextAt` (unix ms). When the broadcast was moved by someone else, its next step
 * stays as they set it.
 */
export async function releaseUntil(
  db: Db,
  { id, token, states }: Omit<Lease, "cursor">,
  nextAt: number,
): Promise<boolean> {
  const { released } = await db.batch({
    released: finish({ id, token, states, nextAt }),
    lost: releaseLostStep({ id, token }),
  });
  return released.changes > 0;
}

import { and, eq, sql } from "drizzle-orm";
import { isSuppressed, isUnsubscribed, isUnsubscribedAs } from "../../../../db/email/conditions/blocked";
import { isNotHeld } from "../../../../db/email/conditions/broadcasts";
import { directId } from "../../../../db/email/conditions/direct";
import { isNotPaused } from "../../../../db/email/conditions/pauses";
import type {
  AttachmentsRow,
  BrandingRow,
  BreakerRow,
  CompanyProviderRow,
  ContentRow,
  DirectContentRow,
  EventTypeRow,
  MessageRow,
  VersionContent,
} from "../../../../db/email/rows";
import {
  brandings,
  broadcasts,
  company_providers,
  default_contents,
  direct_contents,
  event_types,
  message_attachments,
  messages,
  template_versions,
} from "../../../../db/email/schema";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { Db } from "../../../kit/db/db";
import { boolean, integer, json, type Kind, nullable, text } from "../../../kit/db/kind";
import {
  allColumns,
  assignments,
  isInList,
  jsonEach,
  jsonObject,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { findClaimedBreakers } from "./breaker.store";
import { fromClaimed } from "./lease.store";

/** The reason why a claimed message must not be sent. */
export type Blocked = "recipient_suppressed" | "unsubscribed" | "recipient_removed";

/** The broadcast of a message: `provider_ref`, and `access` of its audience, which is null for audiences without members. */
export type ClaimedBroadcast = { ref: string; access: "enabled" | "disabled" | "any" | null };

/** The messages of one claim and the data that their attempts need. */
export type Claim = {
  rows: MessageRow[];
  contents: Map<string, ContentRow>;
  /** published versions of custom templates, by id */
  versions: Map<number, VersionContent>;
  /** ids of versions that exceeded MAX_TEMPLATE_BYTES and were not read */
  unreadVersions: Set<number>;
  /** contents of direct mails, by the id of the mail; null: not read, because the claim exceeded MAX_DIRECT_BYTES */
  directs: Map<string, DirectContentRow | null>;
  /** the event types of the messages that companies defined */
  ownTypes: EventTypeRow[];
  providers: Map<number, CompanyProviderRow>;
  brandings: Map<number, BrandingRow>;
  /** attachments, by the id of their set */
  attachments: Map<string, AttachmentsRow>;
  /** the broadcasts of the messages, by id */
  broadcasts: Map<number, ClaimedBroadcast>;
  blocked: Map<string, Blocked>;
  breakers: BreakerRow[];
  /** messages among the requested ids that are past `expires_at`; they are not claimed */
  expired: MessageRow[];
};

export type ClaimInput = {
  ids: readonly string[];
  token: string;
  lane: Lane;
  /** unix ms; the lease starts at this time */
  now: number;
  leaseMs: number;
  /** unix ms; claims the messages that are due by this time. It is later than `now` only in synchronous mode. */
  dueUntil: number;
  /** fingerprint of the current platform credentials, or "" */
  platformFingerprint: string;
};

const ids = json<readonly string[]>();
const claim = { ids, token: text };

// The unary plus makes the query planner use the primary key. An index on the lane would scan every waiting message.
const claimDue = statement(
  { ...claim, lane: messages.lane, now: integer, leaseMs: integer, dueUntil: integer, platformFingerprint: text },
  (p) => {
    const change = assignments(messages, {
      status: "sending",
      lease_token: p.token,
      locked_until: sql`${p.now} + ${p.leaseMs}`,
      attempt_count: sql`${messages.attempt_count} + 1`,
      claim_count: sql`${messages.claim_count} + 1`,
    });
    return sql`update ${messages} set ${change} where ${isInList(messages.id, p.ids)} and +${messages.lane} = ${p.lane}
      and ${messages.status} in ('queued', 'retrying') and +${messages.next_attempt_at} <= ${p.dueUntil}
      and (${messages.expires_at} is null or ${messages.expires_at} > ${p.now}) and ${isNotPaused(p.platformFingerprint)}
      and ${isNotHeld}`;
  },
);

// Selects by token instead of RETURNING, so that a retry finds the rows of a claim whose response was lost.
const findClaimed = statement(claim, (p) => {
  const broadcast = sql`(select ${jsonObject({ ref: broadcasts.provider_ref, access: sql`${broadcasts.audience} ->> '$.access'` })}
    from ${broadcasts} where ${broadcasts.id} = ${messages.broadcast_id})`;
  return selectRows(
    { ...allColumns(messages), broadcast: broadcast.mapWith(nullable(json<ClaimedBroadcast>())) },
    (columns) => sql`select ${columns} ${fromClaimed(p)}`,
  );
});

const findContents = statement(claim, (p) =>
  queryBuilder
    .select(allColumns(default_contents))
    .from(default_contents)
    .where(
      sql`${default_contents.checksum} in (select ${messages.default_checksum} ${fromClaimed(p)} and ${messages.default_checksum} is not null)`,
    ),
);

const { id: versionId, subject, preheader, html, text: textPart } = template_versions;

/** Maximum total size in bytes of the custom templates of one claim. The first template is always read. */
const MAX_TEMPLATE_BYTES = 8_000_000;

// Versions beyond the limit are returned with empty parts and `isRead` false.
const findVersions = statement({ ...claim, maxBytes: integer }, (p) => {
  const size = sql`sum(octet_length(${html}) + octet_length(${textPart})) over (order by ${versionId})`;
  const sizes = sql`select ${versionId} as id, ${size} as bytes, row_number() over (order by ${versionId}) as place
    from ${template_versions}
    where ${versionId} in (select ${messages.version_id} ${fromClaimed(p)} and ${messages.default_checksum} is null)`;
  const isRead = sql`(s.bytes <= ${p.maxBytes} or s.place = 1)`;
  const ifRead = (part: typeof html | typeof textPart) => sql<string>`iif(${isRead}, ${part}, '')`.mapWith(text);
  return selectRows(
    { id: versionId, subject, preheader, html: ifRead(html), text: ifRead(textPart), isRead: isRead.mapWith(boolean) },
    (columns) => sql`select ${columns} from (${sizes}) s cross join ${template_versions} on ${versionId} = s.id`,
  );
});

/** Maximum total size in bytes of the sealed contents of direct mails of one claim. The first content is always read. */
const MAX_DIRECT_BYTES = 8_000_000;

const direct = direct_contents;

// Contents beyond the limit are returned empty.
const findDirects = statement({ ...claim, maxBytes: integer }, (p) => {
  const size = sql`sum(length(${direct.content_enc})) over (order by ${direct.id})`;
  const sizes = sql`select ${direct.company_id} as company_id, ${direct.id} as id, ${size} as bytes, row_number() over (order by ${direct.id}) as place
    from ${direct} where (${direct.company_id}, ${direct.id}) in (select ${messages.company_id}, ${directId(messages.id)} ${fromClaimed(p)})`;
  const { company_id, id, content_enc, scheduled_at } = direct;
  const ifRead = sql<string>`iif(s.bytes <= ${p.maxBytes} or s.place = 1, ${content_enc}, '')`.mapWith(text);
  return selectRows(
    { company_id, id, content_enc: ifRead, scheduled_at },
    (columns) =>
      sql`select ${columns} from (${sizes}) s cross join ${direct} on ${company_id} = s.company_id and ${id} = s.id`,
  );
});
const findOwnTypes = statement(claim, (p) =>
  queryBuilder
    .select(allColumns(event_types))
    .from(event_types)
    .where(
      sql`(${event_types.company_id}, ${event_types.event_type}) in (select ${messages.company_id}, ${messages.event_type} ${fromClaimed(p)})`,
    ),
);

/** Statement: the current default content of an event in a language. */
export const findCurrentContent = statement(
  { eventType: default_contents.event_type, language: default_contents.language },
  (p) =>
    queryBuilder
      .select(allColumns(default_contents))
      .from(default_contents)
      .where(
        and(
          eq(default_contents.event_type, p.eventType),
          eq(default_contents.language, p.language),
          eq(default_contents.current, true),
        ),
      ),
);

const findProviders = statement(claim, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(sql`${company_providers.company_id} in (select ${messages.company_id} ${fromClaimed(p)})`),
);

const findBrandings = statement(claim, (p) =>
  queryBuilder
    .select(allColumns(brandings))
    .from(brandings)
    .where(sql`${brandings.company_id} in (select ${messages.company_id} ${fromClaimed(p)})`),
);

const findAttachments = statement(claim, (p) =>
  queryBuilder
    .select(allColumns(message_attachments))
    .from(message_attachments)
    .where(
      sql`${message_attachments.id} in (select ${messages.attachments_id} ${fromClaimed(p)} and ${messages.attachments_id} is not null)`,
    ),
);

const findBlocked = statement({ ...claim, now: integer }, (p) => {
  return selectRows(
    { id: messages.id, code: sql<Blocked>`'recipient_suppressed'`.mapWith(text as Kind<Blocked>) },
    (columns) => sql`select ${columns} ${fromClaimed(p)} and ${isSuppressed(p.now)}
      union all
      select ${messages.id}, 'unsubscribed' ${fromClaimed(p)} and ${isUnsubscribed}`,
  );
});

/** Another hash of the address of a message than its own. */
export type OtherHash = { id: string; hash: string };

const findBlockedAs = statement({ token: text, hashes: json<readonly OtherHash[]>(), now: integer }, (p) => {
  const { from, item } = jsonEach(p.hashes);
  const claimed = sql`from ${from} cross join ${messages} on ${messages.id} = ${item.id}
    where ${messages.lease_token} = ${p.token} and ${messages.status} = 'sending'`;
  return selectRows(
    { id: messages.id, code: sql<Blocked>`'recipient_suppressed'`.mapWith(text as Kind<Blocked>) },
    (columns) => sql`select ${columns} ${claimed} and ${isSuppressed(p.now, item.hash)}
      union all
      select ${messages.id}, 'unsubscribed' ${claimed} and ${isUnsubscribedAs(item.hash)}`,
  );
});

/** Statement: the claimed messages that must not be sent because of rows with another hash of their address, and why. */
export const findBlockedByOthers = (input: { token: string; hashes: readonly OtherHash[]; now: number }) =>
  findBlockedAs(input);

const findExpired = statement({ ids, now: integer }, (p) => {
  const idList = jsonEach(p.ids);
  return selectRows(
    allColumns(messages),
    (columns) => sql`select ${columns} from ${idList.from} cross join ${messages} on ${messages.id} = ${idList.value}
      where ${messages.status} in ('queued', 'retrying') and ${messages.expires_at} is not null and ${messages.expires_at} <= ${p.now}`,
  );
});

/**
 * Leases the due messages among `ids`. Reads the data for their attempts and the expired messages in the same round trip;
 * default contents of bulk mail take one more.
 * Repeating the call with the same token returns the same rows.
 */
export async function claimMessages(db: Db, input: ClaimInput): Promise<Claim> {
  const { ids, token, lane, now } = input;
  const results = await db.batch({
    claimed: claimDue(input),
    rows: findClaimed({ ids, token }),
    // Broadcasts, which are most of the bulk mail, have a template of their own.
    contents: lane === "bulk" ? null : findContents({ ids, token }),
    versions: findVersions({ ids, token, maxBytes: MAX_TEMPLATE_BYTES }),
    // The content of a direct mail is never in another lane.
    directs: lane === "transactional" ? findDirects({ ids, token, maxBytes: MAX_DIRECT_BYTES }) : null,
    // Companies define only events of the transactional lane.
    ownTypes: lane === "transactional" ? findOwnTypes({ ids, token }) : null,
    providers: findProviders({ ids, token }),
    brandings: findBrandings({ ids, token }),
    attachments: lane === "transactional" ? findAttachments({ ids, token }) : null,
    blocked: findBlocked({ ids, token, now }),
    breakers: findClaimedBreakers({ ids, token, lane }),
    // Only messages of the auth lane expire.
    expired: lane === "auth" ? findExpired({ ids, now }) : null,
  });
  const hasDefaults = lane === "bulk" && results.rows.rows.some((row) => row.default_checksum !== null);
  const contents = hasDefaults ? await db.all(findContents({ ids, token })) : (results.contents?.rows ?? []);
  return {
    rows: results.rows.rows.map(({ broadcast: _broadcast, ...row }) => row),
    contents: new Map(contents.map((row) => [row.checksum, row])),
    versions: new Map(results.versions.rows.flatMap((row) => (row.isRead ? [[row.id, row]] : []))),
    unreadVersions: new Set(results.versions.rows.flatMap((row) => (row.isRead ? [] : row.id))),
    directs: new Map(
      (results.directs?.rows ?? []).map((row) => [row.id, row.content_enc === "" ? null : row] as const),
    ),
    ownTypes: results.ownTypes?.rows ?? [],
    providers: new Map(results.providers.rows.map((row) => [row.company_id, row])),
    brandings: new Map(results.brandings.rows.map((row) => [row.company_id, row])),
    attachments: new Map(results.attachments?.rows.map((row) => [row.id, row])),
    broadcasts: new Map(
      results.rows.rows.flatMap(({ broadcast_id: id, broadcast }) =>
        id === null || broadcast === null ? [] : [[id, broadcast] as const],
      ),
    ),
    blocked: new Map(results.blocked.rows.map((row) => [row.id, row.code])),
    breakers: results.breakers.rows,
    expired: results.expired?.rows ?? [],
  };
}

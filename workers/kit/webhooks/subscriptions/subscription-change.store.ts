import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { isWaiting } from "../../../../db/kit/waiting-rules";
import { action_deliveries as deliveries, type RuleRow, action_rules as rules } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { boolean, integer, nullable } from "../../db/kind";
import { queryBuilder } from "../../db/query";
import { type Bound, followedBy, statement } from "../../db/statement";
import { findRule } from "./subscription.store";

/** The values of a change. Null keeps the current value; an empty Authorization value removes it. */
const changed = {
  name: nullable(rules.name),
  description: nullable(rules.description),
  enabled: nullable(rules.enabled),
  url: nullable(rules.url),
  host: nullable(rules.host),
  secret_enc: nullable(rules.secret_enc),
  secret_hint: nullable(rules.secret_hint),
  authorization_enc: rules.authorization_enc,
  allow_private_urls: nullable(rules.allow_private_urls),
};

const valueOrCurrent = (column: AnySQLiteColumn, value: SQL) => sql`coalesce(${value}, ${column})`;
const nullWhen = (isDropped: SQL, column: AnySQLiteColumn) => sql`case when ${isDropped} then null else ${column} end`;

// A new URL or secret resets the health. A new secret also ends the overlap of the previous secret. A new URL that was
// not set by staff revokes the permission for private targets.
const change = statement({ id: rules.id, ...changed, by_staff: boolean, now: integer }, (p) => {
  const isMoved = sql`(${p.url} is not null and ${p.url} <> ${rules.url})`;
  const hasSecret = sql`${p.secret_enc} is not null`;
  const isReset = sql`(${isMoved} or ${hasSecret})`;
  return queryBuilder
    .update(rules)
    .set({
      name: valueOrCurrent(rules.name, p.name),
      description: valueOrCurrent(rules.description, p.description),
      enabled: valueOrCurrent(rules.enabled, p.enabled),
      url: valueOrCurrent(rules.url, p.url),
      host: valueOrCurrent(rules.host, p.host),
      secret_enc: valueOrCurrent(rules.secret_enc, p.secret_enc),
      secret_hint: valueOrCurrent(rules.secret_hint, p.secret_hint),
      previous_secret_enc: nullWhen(hasSecret, rules.previous_secret_enc),
      previous_secret_expires_at: nullWhen(hasSecret, rules.previous_secret_expires_at),
      authorization_enc: sql`case when ${p.authorization_enc} is null then ${rules.authorization_enc}
        else nullif(${p.authorization_enc}, '') end`,
      allow_private_urls: sql`case when ${p.allow_private_urls} is not null then ${p.allow_private_urls}
        when ${isMoved} and not ${p.by_staff} then 0 else ${rules.allow_private_urls} end`,
      last_success_at: nullWhen(isReset, rules.last_success_at),
      last_failure_at: nullWhen(isReset, rules.last_failure_at),
      failing_since: nullWhen(isReset, rules.failing_since),
      health_reason: nullWhen(isReset, rules.health_reason),
      is_failing_told: sql`case when ${isReset} then 0 else ${rules.is_failing_told} end`,
      updated_at: p.now,
    })
    .where(eq(rules.id, p.id));
});

const isWaitingOf = (rule: SQL) => and(isWaiting(deliveries), eq(deliveries.rule_id, rule));

// Waiting deliveries are sent to the subscription's current URL, so they count towards the limits of its host.
const moveWaiting = statement({ rule: deliveries.rule_id, host: deliveries.host }, (p) =>
  queryBuilder
    .update(deliveries)
    .set({ host: p.host })
    .where(and(isWaitingOf(p.rule), ne(deliveries.host, p.host))),
);

/** The columns to change. Secrets are sealed; an empty `authorization_enc` removes the value. */
export type RuleChange = Partial<
  Pick<
    RuleRow,
    "name" | "description" | "enabled" | "url" | "host" | "secret_enc" | "secret_hint" | "allow_private_urls"
  > & { authorization_enc: string }
>;

const UNCHANGED = {
  name: null,
  description: null,
  enabled: null,
  url: null,
  host: null,
  secret_enc: null,
  secret_hint: null,
  authorization_enc: null,
  allow_private_urls: null,
};

/**
 * Changes a subscription, and moves its waiting deliveries to the host of a new URL. Returns null when the subscription
 * no longer exists.
 */
export async function changeRule(
  db: Db,
  id: number,
  values: RuleChange,
  { byStaff, entries, now }: { byStaff: boolean; entries: Bound[]; now: number },
): Promise<RuleRow | null> {
  const { host } = values;
  const { row } = await db.batch({
    changed: followedBy(change({ ...UNCHANGED, ...values, id, by_staff: byStaff, now }), ...entries),
    moved: host === undefined ? null : moveWaiting({ rule: id, host }),
    row: findRule({ id, company: null }),
  });
  return row.first;
}

const replaced = {
  secret_enc: rules.secret_enc,
  secret_hint: rules.secret_hint,
  previous_secret_enc: rules.previous_secret_enc,
  previous_secret_expires_at: rules.previous_secret_expires_at,
};

const rotate = statement(
  { id: rules.id, ...replaced, expectedSecret: rules.secret_enc, now: integer },
  ({ id, expectedSecret, now, ...secret }) =>
    queryBuilder
      .update(rules)
      .set({
        ...secret,
        last_success_at: null,
        last_failure_at: null,
        failing_since: null,
        health_reason: null,
        is_failing_told: false,
        updated_at: now,
      })
      .where(and(eq(rules.id, id), eq(rules.secret_enc, expectedSecret))),
);

/**
 * Replaces the secret if it is still `expectedSecret`. Returns the current row, or null when the subscription no longer
 * exists. If the row has another secret, a concurrent call replaced it first.
 */
export async function rotateSecret(
  db: Db,
  id: number,
  secret: Pick<RuleRow, keyof typeof replaced>,
  { expectedSecret, entries, now }: { expectedSecret: string; entries: Bound[]; now: number },
): Promise<RuleRow | null> {
  const { row } = await db.batch({
    rotated: followedBy(rotate({ id, ...secret, expectedSecret, now }), ...entries),
    row: findRule({ id, company: null }),
  });
  return row.first;
}

/** Maximum number of deliveries that one statement ends. */
const MAX_ENDED = 5000;

// The lease is removed, so a late result of a running attempt changes nothing.
const endWaiting = statement({ rule: deliveries.rule_id, now: integer }, (p) =>
  queryBuilder
    .update(deliveries)
    .set({
      status: "dead",
      last_error: "the rule was deleted",
      last_error_code: "rule_deleted",
      locked_until: null,
      lease_token: null,
      updated_at: p.now,
    })
    .where(
      sql`${deliveries.seq} in (select ${deliveries.seq} from ${deliveries}
        where ${isWaitingOf(p.rule)} limit ${MAX_ENDED})`,
    ),
);

const deleteEmptyRule = statement({ id: rules.id }, (p) =>
  queryBuilder
    .delete(rules)
    .where(and(eq(rules.id, p.id), sql`not exists (select 1 from ${deliveries} where ${isWaitingOf(p.id)})`)),
);

/**
 * Runs one step of a deletion: ends waiting deliveries, and deletes the subscription if none are left. Returns true
 * when the subscription is deleted.
 */
export async function deleteRuleStep(db: Db, id: number, entries: Bound[], now: number): Promise<boolean> {
  const { row } = await db.batch({
    ended: endWaiting({ rule: id, now }),
    deleted: followedBy(deleteEmptyRule({ id }), ...entries),
    row: findRule({ id, company: null }),
  });
  return row.first === null;
}

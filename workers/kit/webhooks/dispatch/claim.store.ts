import { and, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { holdsFence } from "../../../../db/kit/jobs";
import { isWaiting, waitingRules } from "../../../../db/kit/waiting-rules";
import { action_deliveries, action_hosts, action_rules } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { boolean, integer, json, nullable, text } from "../../db/kind";
import {
  allColumns,
  assignments,
  jsonEach,
  queryBuilder,
  type SelectedRow,
  selectRows,
  tableReference,
} from "../../db/query";
import { statement } from "../../db/statement";
import { hasNoLease } from "../../outbox/lease.store";
import type { FailingQuery } from "../failing/failing-rule";

const deliveries = action_deliveries;
const rules = action_rules;
const delivery = alias(action_deliveries, "delivery");
const candidate = alias(action_deliveries, "candidate");
const rule = alias(action_rules, "rule");
const hostState = alias(action_hosts, "host_state");

const claim = {
  now: integer,
  token: text,
  lease_ms: integer,
  per_rule: integer,
  per_host: integer,
  /** maximum number of rows */
  chunk: integer,
};

type Claim = { [K in keyof typeof claim]: SQL };

/** Counts the rows in flight, which are those with a live lease, by subscription and by host. */
const inFlight = ({ now }: Claim) => sql`live as materialized (
  select ${deliveries.rule_id}, ${deliveries.host} from ${deliveries} where ${gt(deliveries.locked_until, now)}),
rule_live as materialized (select rule_id, count(*) as n from live group by rule_id),
host_live as materialized (select host, count(*) as n from live group by host)`;

/**
 * Claims the chosen rows. When the response to a claim is lost, the claim is repeated with the same token. The repeated
 * claim changes nothing; the token then identifies the rows of the first claim.
 */
const claimRows = ({ now, token, lease_ms }: Claim, picks: SQL, guard = sql`true`) => {
  const values = assignments(deliveries, {
    locked_until: sql`${now} + ${lease_ms}`,
    lease_token: token,
    claim_count: sql`${deliveries.claim_count} + 1`,
    dispatched_at: sql`coalesce(${deliveries.dispatched_at}, ${now})`,
  });
  const sameClaim = alias(action_deliveries, "same_claim");
  return sql`update ${deliveries} set ${values} where ${guard}
    and not exists (select 1 from ${tableReference(sameClaim)}
      where ${sameClaim.locked_until} = ${now} + ${lease_ms} and ${sameClaim.lease_token} = ${token})
    and ${deliveries.seq} in (${picks})`;
};

/** Returns the condition that a row of a subscription is due at `due` and has no live lease at `now`. */
const isDue = (rule: SQL, { due, now }: { due: SQL; now: SQL }) =>
  sql`${isWaiting(candidate)} and ${candidate.rule_id} = ${rule} and ${candidate.due_at} <= ${due}
    and ${hasNoLease(candidate, now)}`;

/** Ranks the rows of `turns` per host. */
const picked = ({ per_rule }: Claim) => sql`picked as (
  select *, host_n + row_number() over (partition by host order by turn, due_at, seq) as host_turn
  from turns where turn <= ${per_rule})`;

/**
 * Claims rows for a retry run. It first chooses enabled subscriptions by their number of rows in flight and their
 * oldest due row. It then claims more of their rows in round robin. A host that does not respond gets one slot. The
 * cost grows with the number of waiting subscriptions, not with the number of their rows.
 */
const claimDue = statement({ ...claim, due: integer, fence: nullable(integer) }, (p) => {
  const picks = sql`select seq from picked where host_turn <= slots order by turn, due_at limit ${p.chunk}`;
  return sql`with recursive ${waitingRules},
${inFlight(p)},
heads as (
  select ${delivery.rule_id}, ${delivery.due_at}, coalesce(rule_live.n, 0) as rule_n, coalesce(host_live.n, 0) as host_n,
    case when ${hostState.consecutive_failures} >= 10 then 1 else ${p.per_host} end as slots,
    row_number() over (partition by ${delivery.host}
      order by coalesce(rule_live.n, 0), ${delivery.due_at}, ${delivery.seq}) as nth
  from waiting_rules cross join ${tableReference(delivery)} on ${delivery.seq} = (select ${candidate.seq}
    from ${tableReference(candidate)}
      where ${isDue(sql`waiting_rules.rule_id`, p)} order by ${candidate.due_at} limit 1)
  left join ${tableReference(rule)} on ${rule.id} = waiting_rules.rule_id
    left join ${tableReference(hostState)} on ${hostState.host} = ${delivery.host}
  left join rule_live on rule_live.rule_id = waiting_rules.rule_id left join host_live on host_live.host = ${delivery.host}
  where coalesce(${rule.enabled}, 1) = 1 and coalesce(rule_live.n, 0) < ${p.per_rule}),
chosen as (select * from heads where host_n + nth <= slots order by rule_n, due_at limit ${p.chunk}),
turns as (
  select ${delivery.seq}, ${delivery.host}, ${delivery.due_at}, chosen.host_n, chosen.slots,
    chosen.rule_n + row_number() over (partition by ${delivery.rule_id}
      order by ${delivery.due_at}, ${delivery.seq}) as turn
  from chosen cross join ${tableReference(delivery)} on ${delivery.seq} in (select ${candidate.seq}
    from ${tableReference(candidate)}
      where ${isDue(sql`chosen.rule_id`, p)} order by ${candidate.due_at} limit ${p.per_rule})),
${picked(p)}
${claimRows(p, picks, holdsFence("retry_webhooks", p.fence))}`;
});

/**
 * Makes rows due at once when their lease expired without a result. Otherwise a crashed first attempt would be retried
 * only after the delay that covers lost queue messages.
 */
const makeAbandonedDue = statement({ due: integer, now: integer }, (p) =>
  queryBuilder
    .update(deliveries)
    .set({ due_at: p.due })
    .where(and(lte(deliveries.locked_until, p.now), gt(deliveries.due_at, p.due), isWaiting(deliveries))),
);

/** The condition that a delivery waits for its first attempt and its subscription, if it has one, is enabled. */
const isFirst = sql`${eq(delivery.status, "pending")} and ${delivery.dispatched_at} is null
  and coalesce(${rule.enabled}, 1) = 1`;

const ids = json<readonly string[]>();

/**
 * Claims rows among `ids` for their first attempt. Like claimDue, but without the fence and the limit for hosts that do
 * not respond.
 */
const claimFirst = statement({ ...claim, ids }, (p) => {
  const requestedIds = jsonEach(p.ids, "listed");
  const picks = sql`select seq from picked where host_turn <= ${p.per_host} order by turn, due_at limit ${p.chunk}`;
  return sql`with ${inFlight(p)},
turns as (
  select ${delivery.seq}, ${delivery.host}, ${delivery.due_at}, coalesce(host_live.n, 0) as host_n,
    coalesce(rule_live.n, 0) + row_number() over (partition by ${delivery.rule_id}
      order by ${delivery.due_at}, ${delivery.seq}) as turn
  from ${requestedIds.from} cross join ${tableReference(delivery)} on ${delivery.id} = ${requestedIds.value}
  left join ${tableReference(rule)} on ${rule.id} = ${delivery.rule_id}
  left join rule_live on rule_live.rule_id = ${delivery.rule_id} left join host_live on host_live.host = ${delivery.host}
  where ${isFirst}),
${picked(p)}
${claimRows(p, picks)}`;
});

/** Counts the rows among `ids` that still wait for their first attempt. */
const countFirst = statement({ ids }, (p) => {
  const requestedIds = jsonEach(p.ids, "listed");
  return selectRows(
    { n: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${requestedIds.from}
      cross join ${tableReference(delivery)} on ${delivery.id} = ${requestedIds.value}
      left join ${tableReference(rule)} on ${rule.id} = ${delivery.rule_id} where ${isFirst}`,
  );
});

/** The columns of a claimed row with its lease. */
const claimed = {
  ...allColumns(deliveries),
  locked_until: sql`${deliveries.locked_until}`.mapWith(integer),
  lease_token: sql`${deliveries.lease_token}`.mapWith(text),
  has_rule: sql`${rules.id} is not null`.mapWith(boolean),
};

const ruleColumns = {
  url: rules.url,
  secret_enc: rules.secret_enc,
  previous_secret_enc: rules.previous_secret_enc,
  previous_secret_expires_at: rules.previous_secret_expires_at,
  authorization_enc: rules.authorization_enc,
  allow_private_urls: rules.allow_private_urls,
};

const findClaimed = statement({ until: integer, token: text }, (p) =>
  queryBuilder
    .select({ ...claimed, ...ruleColumns })
    .from(deliveries)
    .leftJoin(rules, eq(rules.id, deliveries.rule_id))
    .where(and(eq(deliveries.locked_until, p.until), eq(deliveries.lease_token, p.token))),
);

type Rule = SelectedRow<typeof ruleColumns>;

/** A claimed delivery. The columns of its subscription are null when it has none. */
export type ClaimedRow = SelectedRow<typeof claimed> & { [K in keyof Rule]: Rule[K] | null };

/** The input of both kinds of claims; times are unix ms. */
export type ClaimInput = {
  now: number;
  token: string;
  leaseMs: number;
  perRule: number;
  perHost: number;
  /** maximum number of rows */
  chunk: number;
};

const valuesOf = ({ now, token, leaseMs, perRule, perHost, chunk }: ClaimInput) => ({
  now,
  token,
  chunk,
  lease_ms: leaseMs,
  per_rule: perRule,
  per_host: perHost,
});

const claimedBy = ({ now, leaseMs, token }: ClaimInput) => findClaimed({ until: now + leaseMs, token });

/**
 * Claims due rows for a retry run in one round trip. With `failingQuery`, the same round trip reads the failing
 * subscriptions. `runStart` is unix ms; `fence` is null when the run took no lock.
 */
export async function claimDueRows(
  db: Db,
  input: ClaimInput & { runStart: number; fence: number | null },
  failingQuery?: FailingQuery,
): Promise<ClaimedRow[]> {
  const { runStart: due, fence } = input;
  const claimStatements = {
    abandoned: makeAbandonedDue({ due, now: input.now }),
    claim: claimDue({ ...valuesOf(input), due, fence }),
    claimed: claimedBy(input),
  };
  if (failingQuery === undefined) return (await db.batch(claimStatements)).claimed.rows;
  const { claimed, unnotified, notices } = await db.batch({ ...claimStatements, ...failingQuery.reads });
  failingQuery.onResults({ unnotified, notices });
  return claimed.rows;
}

/**
 * Claims rows among `ids` for their first attempt, in one round trip. Also returns how many of the ids remain for
 * another claim.
 */
export async function claimFirstRows(
  db: Db,
  input: ClaimInput & { ids: readonly string[] },
): Promise<{ rows: ClaimedRow[]; remaining: number }> {
  const { ids } = input;
  const { claimed, remaining } = await db.batch({
    claim: claimFirst({ ...valuesOf(input), ids }),
    claimed: claimedBy(input),
    remaining: countFirst({ ids }),
  });
  return { rows: claimed.rows, remaining: remaining.first?.n ?? 0 };
}

const leases = json<readonly { seq: number; token: string }[]>();

const renew = statement({ leases, now: integer, until: integer }, (p) => {
  const { from: list, item } = jsonEach(p.leases, "listed");
  return selectRows(
    { seq: deliveries.seq },
    (columns) => sql`update ${deliveries} set ${assignments(deliveries, { locked_until: p.until })} from ${list}
      where ${deliveries.seq} = ${item.seq} and ${deliveries.lease_token} = ${item.token} and ${deliveries.locked_until} > ${p.now}
      returning ${columns}`,
  );
});

/**
 * Extends the leases that are still held to `leaseMs` from `now` (unix ms), in one round trip, and updates the rows in
 * memory. A lost lease is not changed.
 */
export async function renewLeases(
  db: Db,
  claimed: readonly ClaimedRow[],
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  const until = now + leaseMs;
  const leases = claimed.map(({ seq, lease_token }) => ({ seq, token: lease_token }));
  const renewed = new Set((await db.all(renew({ leases, now, until }))).map(({ seq }) => seq));
  for (const row of claimed) if (renewed.has(row.seq)) row.locked_until = until;
}

const countDue = statement({ now: integer }, (p) =>
  selectRows(
    {
      n: sql`coalesce(sum((select count(*) from ${tableReference(candidate)}
        where ${isDue(sql`waiting_rules.rule_id`, { due: p.now, now: p.now })})), 0)`.mapWith(integer),
    },
    (columns) => sql`with recursive ${waitingRules} select ${columns} from waiting_rules
      left join ${tableReference(rule)} on ${rule.id} = waiting_rules.rule_id
      where waiting_rules.rule_id is not null and coalesce(${rule.enabled}, 1) = 1`,
  ),
);

/** Returns how many deliveries would be due in a retry run that starts at `now` (unix ms). Used by `--dry-run`. */
export async function countDueRows(db: Db, now: number): Promise<number> {
  return (await db.first(countDue({ now })))?.n ?? 0;
}

import type { RuleRow } from "../../../../db/kit/webhooks";
import { type Db, type SqlValue, sql } from "../../db";
import { highestCount } from "../../http/paging/log-page";

export type { RuleRow };

/** Rules that a company may have (details of Document 3, 4.9). */
const HIGHEST_RULES = 100;

/** (id, company?): the rule; null takes that of any company. */
const findRuleById = sql("SELECT * FROM action_rules WHERE id = ?1 AND (?2 IS NULL OR company_id = ?2)");

/** The statement that reads a rule of a company, or of any for null. */
export function findRule(db: Db, companyId: number | null, id: number | null): D1PreparedStatement {
  return findRuleById.bind(db, id, companyId);
}

// A company has at most 100 rules, so every list of them is short.
const LISTED = "company_id = ?1 AND (?2 IS NULL OR event_type = ?2) AND (?3 IS NULL OR enabled = ?3)";

const listed = sql(`SELECT * FROM action_rules WHERE ${LISTED} AND (event_type, name, id) > (?4, ?5, ?6)
ORDER BY event_type, name, id LIMIT ?7 OFFSET ?8`);

const countListed = sql(`SELECT count(*) AS count FROM
  (SELECT 1 FROM action_rules WHERE ${LISTED} LIMIT ${highestCount})`);

/** Where a rule stands in a list. */
export type RulePosition = [eventType: string, name: string, id: number];

/** The reads of rules by type, name and id behind `after`, one more than the page holds; their number but behind a cursor. */
export function ruleListReads(
  db: Db,
  companyId: number,
  filter: { event_type?: string | undefined; enabled?: boolean | undefined },
  page: { after: RulePosition | null; pageSize: number; offset: number },
): D1PreparedStatement[] {
  const asked = [companyId, filter.event_type ?? null, filter.enabled ?? null];
  return [
    listed.bind(db, ...asked, ...(page.after ?? ["", "", 0]), page.pageSize + 1, page.offset),
    ...(page.after ? [] : [countListed.bind(db, ...asked)]),
  ];
}

// The sealed secret is of this call alone: a repeated batch finds the row that it made.
const insert = sql(`INSERT INTO action_rules (company_id, name, description, event_type, enabled, url, host, secret_enc,
  secret_hint, authorization_enc, allow_private_urls, created_at, updated_at)
SELECT ?1, ?4, ?5, ?2, ?6, ?7, ?8, ?3, ?9, ?10, ?11, ?12, ?12
WHERE (SELECT count(*) FROM action_rules WHERE company_id = ?1) < ${HIGHEST_RULES}
  AND NOT EXISTS (SELECT 1 FROM action_rules WHERE company_id = ?1 AND event_type = ?2 AND secret_enc = ?3)`);

const findInserted = sql("SELECT * FROM action_rules WHERE company_id = ?1 AND event_type = ?2 AND secret_enc = ?3");

/** What a new rule holds; secrets are sealed, `now` is unix ms. */
export type NewRule = Pick<
  RuleRow,
  | "company_id"
  | "name"
  | "description"
  | "event_type"
  | "url"
  | "host"
  | "secret_enc"
  | "secret_hint"
  | "authorization_enc"
> & { enabled: boolean; allow_private_urls: boolean };

/** Adds a rule with its audit entry; null when the company has as many as it may, which the statement decides. */
export async function insertRule(
  db: Db,
  rule: NewRule,
  notes: D1PreparedStatement[],
  now: number,
): Promise<RuleRow | null> {
  const key = [rule.company_id, rule.event_type, rule.secret_enc];
  const results = await db.batch<RuleRow[]>([
    insert.bind(
      db,
      ...key,
      rule.name,
      rule.description,
      rule.enabled,
      rule.url,
      rule.host,
      rule.secret_hint,
      rule.authorization_enc,
      rule.allow_private_urls,
      now,
    ),
    ...notes,
    findInserted.bind(db, ...key),
  ]);
  return results.at(-1)?.results[0] ?? null;
}

const RESETS = "((?5 IS NOT NULL AND ?5 <> url) OR ?7 IS NOT NULL)";
const keptUnless = (column: string, isDropped: string) =>
  `${column} = CASE WHEN ${isDropped} THEN NULL ELSE ${column} END`;
const HEALTH = ["last_success_at", "last_failure_at", "failing_since", "health_reason"];

// ?1 id, ?2 name, ?3 description, ?4 enabled, ?5 URL, ?6 host, ?7 secret, ?8 hint, ?9 Authorization ("" removes it),
// ?10 private targets, ?11 whether staff ask, ?12 now; null keeps. A new URL or secret resets health (details 4.6.4), a
// secret replaces both, and a URL of somebody else ends what staff had allowed (details 4.7, point 6).
const change = sql(`UPDATE action_rules SET name = coalesce(?2, name), description = coalesce(?3, description),
  enabled = coalesce(?4, enabled), url = coalesce(?5, url), host = coalesce(?6, host),
  secret_enc = coalesce(?7, secret_enc), secret_hint = coalesce(?8, secret_hint),
  ${["previous_secret_enc", "previous_secret_expires_at"].map((column) => keptUnless(column, "?7 IS NOT NULL")).join(", ")},
  authorization_enc = CASE WHEN ?9 IS NULL THEN authorization_enc ELSE nullif(?9, '') END,
  allow_private_urls = CASE WHEN ?10 IS NOT NULL THEN ?10
    WHEN ?5 IS NOT NULL AND ?5 <> url AND NOT ?11 THEN 0 ELSE allow_private_urls END,
  ${HEALTH.map((column) => keptUnless(column, RESETS)).join(", ")}, updated_at = ?12
WHERE id = ?1`);

// Waiting deliveries go to the rule's present URL, so they count on its host.
const moveWaiting = sql(`UPDATE action_deliveries SET host = ?2
WHERE status IN ('pending','failed') AND rule_id = ?1 AND host <> ?2`);

/** What of a rule changes; secrets are sealed, `authorization_enc` "" removes the value. */
export type RuleChange = Partial<
  Pick<RuleRow, "name" | "description" | "url" | "host" | "secret_enc" | "secret_hint"> & {
    authorization_enc: string;
    enabled: boolean;
    allow_private_urls: boolean;
  }
>;

/** Changes a rule and moves its waiting deliveries to the host of a new URL; null when it is gone. */
export async function changeRule(
  db: Db,
  id: number,
  { name, description, enabled, url, host, secret_enc, secret_hint, authorization_enc, allow_private_urls }: RuleChange,
  { byStaff, notes, now }: { byStaff: boolean; notes: D1PreparedStatement[]; now: number },
): Promise<RuleRow | null> {
  const values: (SqlValue | undefined)[] = [name, description, enabled, url, host, secret_enc, secret_hint];
  const given = [...values, authorization_enc, allow_private_urls].map((value) => value ?? null);
  const results = await db.batch<RuleRow[]>([
    change.bind(db, id, ...given, byStaff, now),
    ...notes,
    ...(host === undefined ? [] : [moveWaiting.bind(db, id, host)]),
    findRule(db, null, id),
  ]);
  return results.at(-1)?.results[0] ?? null;
}

// ?1 id, ?2 new secret, ?3 hint, ?4 previous secret?, ?5 its end?, ?6 the secret that was read, ?7 now
const rotate = sql(`UPDATE action_rules SET secret_enc = ?2, secret_hint = ?3, previous_secret_enc = ?4,
  previous_secret_expires_at = ?5, ${HEALTH.map((column) => `${column} = NULL`).join(", ")}, updated_at = ?7
WHERE id = ?1 AND secret_enc = ?6`);

/** Replaces the secret that was read (`was`); the rule as it is then, or null. Another secret in it: somebody was faster. */
export async function rotateSecret(
  db: Db,
  id: number,
  secret: Pick<RuleRow, "secret_enc" | "secret_hint" | "previous_secret_enc" | "previous_secret_expires_at">,
  was: string,
  notes: D1PreparedStatement[],
  now: number,
): Promise<RuleRow | null> {
  const { secret_enc, secret_hint, previous_secret_enc, previous_secret_expires_at } = secret;
  const results = await db.batch<RuleRow[]>([
    rotate.bind(db, id, secret_enc, secret_hint, previous_secret_enc, previous_secret_expires_at, was, now),
    ...notes,
    findRule(db, null, id),
  ]);
  return results.at(-1)?.results[0] ?? null;
}

/** Deliveries that one statement ends. */
const ENDED_AT_ONCE = 5000;

// A late result of an attempt that runs now finds no lease and changes nothing.
const endWaiting = sql(`UPDATE action_deliveries SET status = 'dead', last_error = 'the rule was deleted',
  last_error_code = 'rule_deleted', locked_until = NULL, lease_token = NULL, updated_at = ?2
WHERE seq IN (SELECT seq FROM action_deliveries WHERE status IN ('pending','failed') AND rule_id = ?1
  LIMIT ${ENDED_AT_ONCE})`);

const deleteEmptyRule = sql(`DELETE FROM action_rules WHERE id = ?1
  AND NOT EXISTS (SELECT 1 FROM action_deliveries WHERE status IN ('pending','failed') AND rule_id = ?1)`);

/** One step of a deletion: ends waiting deliveries, and takes the rule away when none is left. True when it is gone. */
export async function deleteRuleStep(db: Db, id: number, notes: D1PreparedStatement[], now: number): Promise<boolean> {
  const results = await db.batch<RuleRow[]>([
    endWaiting.bind(db, id, now),
    deleteEmptyRule.bind(db, id),
    ...notes,
    findRule(db, null, id),
  ]);
  return results.at(-1)?.results.length === 0;
}

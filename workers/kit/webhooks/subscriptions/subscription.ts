import type * as z from "zod";
import type { RuleRow } from "../../../../db/kit/webhooks";
import type { rotateBody, ruleBody, ruleChange } from "../../../../schemas/webhooks/subscriptions";
import { open, SealError, seal } from "../../crypto/seal";
import type { Bound } from "../../db/statement";
import { Problem } from "../../problem";
import { HOUR_MS } from "../../time";
import type { AuditedRuleChange, WebhookScope } from "../api";
import type { WebhooksContext } from "../context";
import { generateSecret, hintOf } from "../posting/signing-secret";
import type { Target } from "../posting/target";
import { ruleAad } from "../posting/webhook-post";
import { findEnabledRule, findRule, insertRule, selectRulePage } from "./subscription.store";
import { changeRule, deleteRuleStep, type RuleChange, rotateSecret } from "./subscription-change.store";

export type { RulePosition } from "./subscription.store";

/**
 * `MAX_TRIES`: maximum number of attempts to rotate a secret when other rotations run concurrently. `MAX_STEPS`:
 * maximum number of steps of a deletion, each of which ends up to 5,000 deliveries.
 */
const MAX_TRIES = 5;
const MAX_STEPS = 400;

/** Returns the statements that read a page of a company's subscriptions. */
export const selectRules = selectRulePage;

/**
 * Returns the statement that reads a subscription of one company, or of any company when `company` is null. A null id
 * matches none.
 */
export const selectRule = (id: number | null, company: number | null = null) => findRule({ id, company });

/**
 * Returns the statement that checks whether the company has an enabled subscription of the event type. Without one, an
 * event causes no webhook.
 */
export const selectSubscribedRule = (company: number, type: string) => findEnabledRule({ company, type });

/** The scope's function that returns the statement of an audit entry, if it has one. */
type Audit = Pick<WebhookScope, "auditEntry">;

/** Returns the audit entry of a change as a list, which is empty when the service has no audit log. */
async function entriesOf(
  { auditEntry }: Audit,
  verb: Exclude<AuditedRuleChange["verb"], "created">,
  { id, company_id, name, event_type }: RuleRow,
  data: Record<string, unknown> = {},
): Promise<Bound[]> {
  if (auditEntry === undefined) return [];
  return [
    await auditEntry({
      verb,
      companyId: company_id,
      data: { rule_id: id, rule_name: name, rule_event_type: event_type, ...data },
    }),
  ];
}

type Sealed = Parameters<typeof ruleAad>[1];

async function sealed(context: WebhooksContext, column: Sealed, companyId: number, text: string): Promise<string> {
  return seal(text, await context.keys(), ruleAad(context.service, column, companyId));
}

/** Creates a subscription and returns it with its secret, which no later read returns. Throws 409 `rule_limit_reached`. */
export async function createRule(
  context: WebhooksContext,
  { auditEntry, company: { id: companyId } }: Audit & Pick<WebhookScope, "company">,
  input: z.output<typeof ruleBody> & { target: Target },
): Promise<{ row: RuleRow; secret: string }> {
  const { name, description, event_type, enabled, authorization_header, allow_private_urls, target } = input;
  const secret = input.secret || generateSecret();
  const rule = {
    company_id: companyId,
    name,
    description,
    event_type,
    enabled,
    url: target.url,
    host: target.host,
    secret_enc: await sealed(context, "secret_enc", companyId, secret),
    secret_hint: hintOf(secret),
    authorization_enc:
      authorization_header === "" ? null : await sealed(context, "authorization_enc", companyId, authorization_header),
    allow_private_urls,
  };
  const data = { rule_name: name, rule_event_type: event_type, host: target.host };
  const entries = auditEntry === undefined ? [] : [await auditEntry({ verb: "created", companyId, data })];
  const row = await insertRule(context.dbOf(companyId), rule, entries, context.clock.now());
  if (row === null) throw new Problem("rule_limit_reached");
  return { row, secret };
}

/**
 * Changes a subscription. Writes nothing when every value is unchanged. Throws 404 when the subscription was deleted in
 * the meantime.
 */
export async function editRule(
  context: WebhooksContext,
  audit: Audit & { byStaff: boolean },
  rule: RuleRow,
  input: z.output<typeof ruleChange> & { target: Target | null },
): Promise<RuleRow> {
  const { target, secret = "", authorization_header: authorization } = input;
  const changedColumns = {
    ...pick(input, ["name", "description", "enabled", "allow_private_urls"]),
    ...(target === null ? {} : { url: target.url, host: target.host }),
    ...(secret === ""
      ? {}
      : { secret_enc: await sealed(context, "secret_enc", rule.company_id, secret), secret_hint: hintOf(secret) }),
    ...(authorization === undefined
      ? {}
      : {
          authorization_enc:
            authorization && (await sealed(context, "authorization_enc", rule.company_id, authorization)),
        }),
  };
  const change: RuleChange = Object.fromEntries(
    Object.entries(changedColumns).filter((entry) => isChanged(rule, entry)),
  );
  if (Object.keys(change).length === 0) return rule;
  const fields = { changed_fields: changedFields(change), ...(change.url === undefined ? {} : { host: target?.host }) };
  const entries = await entriesOf(audit, "updated", rule, fields);
  const options = { byStaff: audit.byStaff, entries, now: context.clock.now() };
  const row = await changeRule(context.dbOf(rule.company_id), rule.id, change, options);
  if (row === null) throw new Problem("not_found");
  return row;
}

/** Returns whether a column changes. A newly sealed value always differs. */
function isChanged(rule: RuleRow, [column, value]: [string, unknown]): boolean {
  const present = { ...rule, authorization_enc: rule.authorization_enc ?? "" }[column as keyof RuleRow];
  return value !== present;
}

/** Returns the API names of the changed columns, without derived columns. */
function changedFields(change: object): string[] {
  const names: Record<string, string | null> = {
    host: null,
    secret_hint: null,
    secret_enc: "secret",
    authorization_enc: "authorization_header",
  };
  return Object.keys(change).flatMap((column) => names[column] ?? (column in names ? [] : [column]));
}

/** Returns the fields that are not undefined. */
function pick<T extends object, K extends keyof T>(from: T, names: K[]): { [P in K]?: Exclude<T[P], undefined> } {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as {
    [P in K]?: Exclude<T[P], undefined>;
  };
}

/**
 * Replaces the secret. With an overlap, the old secret also signs until the overlap ends. An old secret that cannot be
 * opened is dropped. Throws 404 when the subscription was deleted, and 409 `conflict` after MAX_TRIES attempts.
 */
export async function rotateRuleSecret(
  context: WebhooksContext,
  audit: Audit,
  rule: RuleRow,
  input: z.output<typeof rotateBody>,
): Promise<{ row: RuleRow; secret: string }> {
  const { dbOf, clock } = context;
  const { overlap_hours: hours } = input;
  const secret = input.secret || generateSecret();
  const secret_enc = await sealed(context, "secret_enc", rule.company_id, secret);
  const entries = await entriesOf(audit, "secret_rotated", rule, { overlap_hours: hours });
  let current: RuleRow | null = rule;
  for (let tries = 0; current !== null && tries < MAX_TRIES; tries++) {
    const now = clock.now();
    const previous = hours === 0 ? null : await resealed(context, current);
    const next = {
      secret_enc,
      secret_hint: hintOf(secret),
      previous_secret_enc: previous,
      previous_secret_expires_at: previous === null ? null : now + hours * HOUR_MS,
    };
    current = await rotateSecret(dbOf(rule.company_id), rule.id, next, {
      expectedSecret: current.secret_enc,
      entries,
      now,
    });
    if (current?.secret_enc === secret_enc) return { row: current, secret };
  }
  throw new Problem(current === null ? "not_found" : "conflict");
}

/** Returns the current secret, sealed for the column of the previous secret; null when it cannot be opened. */
async function resealed(context: WebhooksContext, rule: RuleRow): Promise<string | null> {
  const { service, keys, log } = context;
  try {
    const secret = await open(rule.secret_enc, await keys(), ruleAad(service, "secret_enc", rule.company_id));
    return await sealed(context, "previous_secret_enc", rule.company_id, secret);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    log.error("the secret of a rule cannot be read", { rule_id: rule.id, company_id: rule.company_id });
    return null;
  }
}

/**
 * Deletes a subscription. Its waiting deliveries first become `dead` with `rule_deleted`, in several steps. Throws 503
 * `service_unavailable` after MAX_STEPS steps; a repeated call continues.
 */
export async function removeRule({ dbOf, clock }: WebhooksContext, audit: Audit, rule: RuleRow): Promise<void> {
  const entries = await entriesOf(audit, "deleted", rule);
  for (let step = 0; step < MAX_STEPS; step++) {
    if (await deleteRuleStep(dbOf(rule.company_id), rule.id, entries, clock.now())) return;
  }
  throw new Problem("service_unavailable");
}

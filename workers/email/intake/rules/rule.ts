import type { RuleRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import { changeEntry, newRowEntry } from "../../../kit/audit/audit";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import {
  composeCustomTemplate,
  type NewCustomTemplate,
  storeCustomTemplate,
  storeCustomTemplateOfType,
} from "../../authoring/templates/custom-template";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import {
  changeRule,
  deleteRule,
  findRuleByTemplateKey,
  insertRuleWithEntry,
  type NewRule,
  type RuleChange,
  storeRule,
} from "./rule.store";
import type { RuleChangeInput, RuleInput } from "./rule-input";
import { openRecipients, sealRecipients } from "./static-recipients";

/** Maximum number of rules per company. */
export const MAX_RULES = 200;

/** A rule with its decrypted addresses. */
export type OpenRule = { row: RuleRow; recipients: readonly string[] };

/** Returns rules with their addresses. Throws 503 when the addresses of a rule cannot be decrypted. */
export async function openRules(services: Pick<EmailServices, "keys">, rows: readonly RuleRow[]): Promise<OpenRule[]> {
  const keys = await services.keys();
  return Promise.all(rows.map(async (row) => ({ row, recipients: await openRecipients(row, keys) })));
}

/** A rule to store, with its custom template and audit entry. */
type ComposedRule = { customTemplate: NewCustomTemplate; rule: NewRule; entry: Bound };

/**
 * Creates a rule and its custom template. Returns the rule, or null when the company has MAX_RULES rules. Throws 400 with the
 * code of the failed publish check, or 503 `renderer_unavailable`.
 */
export async function createRule(
  services: EmailServices,
  companyId: number,
  input: RuleInput,
  actor: AuditActor,
): Promise<OpenRule | null> {
  const { customTemplate, rule, entry } = await composeRule(services, companyId, input, actor);
  const row = await storeRule(services.dbOf(companyId), storeCustomTemplate(customTemplate, MAX_RULES), rule, entry);
  return row === null ? null : { row, recipients: input.static_recipients };
}

/**
 * Composes the enabled rule that a preset creates together with its event type, for the recipients of each event. `store` returns
 * statements that store nothing unless the event type has the revision; `find` reads the rule. Throws like createRule.
 */
export async function composeRuleOfType(
  services: EmailServices,
  companyId: number,
  { event, design }: Pick<RuleInput, "event" | "design">,
  actor: AuditActor,
): Promise<{ store: (revision: string) => Bound[]; find: Bound<RuleRow> }> {
  const fields = { enabled: true, recipient_mode: "hints", language: "" } as const;
  const input = { ...fields, static_recipients: [], event, design };
  const { customTemplate, rule, entry } = await composeRule(services, companyId, input, actor);
  return {
    store: (revision) => [...storeCustomTemplateOfType(customTemplate, revision), insertRuleWithEntry(rule, entry)],
    find: findRuleByTemplateKey({ key: rule.key }),
  };
}

async function composeRule(
  services: EmailServices,
  companyId: number,
  input: RuleInput,
  actor: AuditActor,
): Promise<ComposedRule> {
  const { event, design, language, enabled, recipient_mode, static_recipients: recipients } = input;
  const templateLanguage = language === "" ? (event.own?.default_language ?? "en") : language;
  const target = { companyId, event, language: templateLanguage, createdBy: actor.userId };
  const customTemplate = await composeCustomTemplate(services, design, target);
  const now = services.clock.now();
  const scope = { company_id: companyId, seal_id: uuid() };
  const rule = {
    ...scope,
    service: event.service,
    event_type: event.event_type,
    enabled,
    language,
    recipient_mode,
    static_recipients_enc: await sealRecipients(recipients, scope, await services.keys()),
    built_in: false,
    key: customTemplate.template.template_key,
    now,
  };
  const auditFields = { event_type: event.event_type, design: design.key, enabled, recipient_mode, language };
  const changes = { ...auditFields, static_recipients: recipients.length };
  const entry = newRowEntry({ actor, companyId, action: "rule.created", target: "rule", changes, now });
  return { customTemplate, rule, entry };
}

/** Changes a rule. Throws 409 `rule_built_in` when it would disable a built-in rule, and 404 when the rule does not exist. */
export async function editRule(
  services: EmailServices,
  row: RuleRow,
  input: RuleChangeInput,
  actor: AuditActor,
): Promise<OpenRule> {
  if (row.built_in && input.enabled === false) throw new Problem("rule_built_in");
  const keys = await services.keys();
  const stored = await openRecipients(row, keys);
  const { static_recipients: recipients = stored, ...rest } = input;
  const plain = Object.entries(rest).filter(([name, value]) => value !== row[name as keyof typeof rest]);
  const change: RuleChange = Object.fromEntries(plain);
  const hasNewRecipients = JSON.stringify(recipients) !== JSON.stringify(stored);
  if (hasNewRecipients) change.static_recipients_enc = await sealRecipients(recipients, row, keys);
  // A change without effect creates no audit entry.
  if (Object.keys(change).length === 0) return { row, recipients: stored };
  const now = services.clock.now();
  const changes = {
    ...Object.fromEntries(plain),
    ...(hasNewRecipients ? { static_recipients: recipients.length } : {}),
  };
  const edited = { action: "rule.updated", target: `rule:${row.id}`, changes };
  const entry = changeEntry({ ...edited, actor, companyId: row.company_id, now });
  const changed = await changeRule(services.dbOf(row.company_id), row, change, { entry, now });
  if (changed === null) throw new Problem("not_found");
  return { row: changed, recipients };
}

/**
 * Deletes a rule and hides its custom template. Waiting mail is still sent. Throws 409 `rule_built_in`, and 404 when the rule
 * does not exist.
 */
export async function removeRule(services: EmailServices, row: RuleRow, actor: AuditActor): Promise<void> {
  if (row.built_in) throw new Problem("rule_built_in");
  const now = services.clock.now();
  const removed = { action: "rule.deleted", target: `rule:${row.id}`, changes: { event_type: row.event_type } };
  const entry = changeEntry({ ...removed, actor, companyId: row.company_id, now });
  const isDeleted = await deleteRule(services.dbOf(row.company_id), row, { entry, now });
  if (!isDeleted) throw new Problem("not_found");
}

import type { EventTypeRow, RuleRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { MAX_EVENT_TYPES } from "../../../../schemas/email/content/event-types";
import type { PresetName } from "../../../../schemas/email/content/presets";
import { changeEntry } from "../../../kit/audit/audit";
import { sha256Hex } from "../../../kit/crypto/hash";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import type { DesignRow } from "../../authoring/templates/custom-template";
import { fillExampleMail } from "../../authoring/templates/example-mail";
import { composeDraft } from "../../authoring/templates/version";
import { adaptToEvent } from "../../content/documents/adapted-design";
import { contentKeyOf, ownEvent } from "../../content/event-types/own-event";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { composeRuleOfType, MAX_RULES } from "../rules/rule";
import {
  deleteEventType,
  findDesignByKey,
  findEventType,
  findUses,
  insertEventType,
  type OwnContent,
  retireOwnContents,
  storeOwnContents,
  updateEventType,
} from "./event-type.store";
import type { EventTypeInput } from "./event-type-input";

/** An event type to store, with its composed default contents. */
export type ComposedEventType = {
  input: EventTypeInput;
  event: CatalogEvent;
  contents: OwnContent[];
  design: DesignRow;
};

/**
 * Composes the default contents of an event type from its design. Throws 400 `default_template: [invalid]` for an unknown design,
 * 400 `document: [render_failed]` when the mail is too large, and 503 `renderer_unavailable`.
 */
export async function composeEventType(
  { dbOf, settings }: EmailServices,
  companyId: number,
  input: EventTypeInput,
): Promise<ComposedEventType> {
  const design = await dbOf(companyId).first(findDesignByKey({ key: input.default_template, companyId }));
  if (design === null) throw invalid({ default_template: ["invalid"] });
  const event = ownEvent(input);
  const key = contentKeyOf(input.event_type, companyId);
  const contents = EMAIL_LANGUAGES.map(async (language): Promise<OwnContent> => {
    const texts = event.suggested[language];
    const document = adaptToEvent(
      JSON.parse(design.document) as EmailDocument,
      event,
      language,
      settings.authLinkHosts,
    );
    const mail = { subject: texts.subject, ...composeDraft({ ...texts, document }, { set: design.set_key, language }) };
    fillExampleMail(event, language, mail, settings);
    const checksum = await sha256Hex([mail.subject, mail.html, mail.text].join("\n"));
    return { checksum: `${key}:${checksum}`, event_type: key, language, ...mail };
  });
  return { input, event, contents: await Promise.all(contents), design };
}

/**
 * Stores an event type with its default contents and the audit entry. With a preset, also stores a rule with its published custom
 * template, in the same batch. Throws 409 `conflict` when the company has the type, and `limit_reached` when it has MAX_EVENT_TYPES
 * types or no room for the rule.
 */
export async function createEventType(
  services: EmailServices,
  companyId: number,
  { input, event, contents, design }: ComposedEventType,
  { actor, preset }: { actor: AuditActor; preset: PresetName | null },
): Promise<{ type: EventTypeRow; rule: RuleRow | null }> {
  const now = services.clock.now();
  const { event_type: eventType } = input;
  const revision = uuid();
  const rule = preset === null ? null : await composeRuleOfType(services, companyId, { event, design }, actor);
  const changes = { variables: input.variables.length, design: design.key, ...(preset === null ? {} : { preset }) };
  const entry = entryOf("event_type.created", companyId, eventType, { actor, now, changes });
  const insert = insertEventType({
    ...input,
    company_id: companyId,
    revision,
    created_at: now,
    updated_at: now,
    max: MAX_EVENT_TYPES,
    maxRules: rule === null ? null : MAX_RULES,
  });
  const { stored, storedRule } = await services.dbOf(companyId).batch({
    inserted: followedBy(insert, entry),
    contents: storeOwnContents({ companyId, eventType, revision }, contents, now),
    rule: rule === null ? [] : rule.store(revision),
    stored: findEventType({ companyId, eventType }),
    storedRule: rule === null ? null : rule.find,
  });
  if (stored.first === null) throw new Problem("limit_reached");
  if (stored.first.revision !== revision) throw new Problem("conflict");
  return { type: stored.first, rule: storedRule?.first ?? null };
}

/**
 * Stores a change with the new default contents and the audit entry. A change without effect stores only the contents. Throws
 * 409 `conflict` when another change was faster.
 */
export async function changeEventType(
  { dbOf, clock }: EmailServices,
  row: EventTypeRow,
  { input, contents }: ComposedEventType,
  actor: AuditActor,
): Promise<EventTypeRow> {
  const { company_id: companyId, event_type: eventType } = row;
  const { event_type: _type, ...values } = input;
  const now = clock.now();
  const revision = uuid();
  const fields = Object.entries(values).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(row[name as keyof typeof values]) ? [] : [name],
  );
  // A change without effect creates no audit entry, but a design or the renderer may have changed.
  if (fields.length === 0) {
    const type = { companyId, eventType, revision: row.revision };
    await dbOf(companyId).batch({ contents: storeOwnContents(type, contents, now) });
    return row;
  }
  const entry = entryOf("event_type.updated", companyId, eventType, { actor, now, changes: { fields } });
  const update = updateEventType({
    ...values,
    companyId,
    eventType,
    revision,
    expected: row.revision,
    updated_at: now,
  });
  const { stored } = await dbOf(companyId).batch({
    updated: followedBy(update, entry),
    contents: storeOwnContents({ companyId, eventType, revision }, contents, now),
    stored: findEventType({ companyId, eventType }),
  });
  if (stored.first === null) throw new Problem("not_found");
  if (stored.first.revision !== revision) throw new Problem("conflict");
  return stored.first;
}

const USES = { rules: "used_by_rules", templates: "used_by_templates", messages: "used_by_waiting_messages" } as const;

/**
 * Deletes an event type. Sent messages, decisions and statistics keep its name. Throws 409 `event_type_in_use` with what uses it,
 * and 404 when it does not exist.
 */
export async function removeEventType(
  { dbOf, clock }: EmailServices,
  { company_id: companyId, event_type: eventType }: EventTypeRow,
  actor: AuditActor,
): Promise<void> {
  const now = clock.now();
  const type = { companyId, eventType };
  const entry = entryOf("event_type.deleted", companyId, eventType, { actor, now, changes: {} });
  const { deleted, uses } = await dbOf(companyId).batch({
    deleted: followedBy(deleteEventType(type), entry),
    retired: retireOwnContents({ ...type, contentKey: contentKeyOf(eventType, companyId), now }),
    uses: findUses(type),
  });
  if (deleted.changes > 0) return;
  const found = uses.first;
  if (found === null) throw new Problem("not_found");
  const codes = (Object.keys(USES) as (keyof typeof USES)[]).flatMap((use) => (found[use] === 1 ? [USES[use]] : []));
  throw new Problem("event_type_in_use", { field_errors: { event_type: codes } });
}

function entryOf(
  action: string,
  companyId: number,
  eventType: string,
  { actor, now, changes }: { actor: AuditActor; now: number; changes: object },
): Bound {
  return changeEntry({ actor, companyId, action, target: `event_type:${eventType}`, changes: { ...changes }, now });
}

import { eq } from "drizzle-orm";
import type { LibraryRow, RuleRow, TemplateRow } from "../../../db/email/rows";
import { library_templates, rules, template_versions, templates } from "../../../db/email/schema";
import { findEvent } from "../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../schemas/email/content/catalog-texts";
import {
  builtInDesigns,
  composeCustomTemplate,
  designOf,
  storeBuiltInCustomTemplate,
  storeCustomTemplate,
} from "../../../workers/email/authoring/templates/custom-template";
import { settingsOf } from "../../../workers/email/settings";
import { clock } from "../../../workers/kit/clock";
import { openDb } from "../../../workers/kit/db/db";
import { testEnv } from "./email";
import { insertRow, readRows, updateRows } from "./rows";

/** Returns a document of one paragraph with this text. */
export const paragraphDocument = (text: string) => documentOf({ type: "paragraph", content: [{ type: "text", text }] });

/** Returns a document with these blocks. */
export const documentOf = (...content: object[]) => ({ type: "doc", content });

/** Stores a template in a company's own library. */
export function storeLibraryTemplate(companyId: number, fields: Partial<LibraryRow> = {}): Promise<LibraryRow> {
  return insertRow(library_templates, {
    key: `library.${crypto.randomUUID()}`,
    set_key: "",
    name: "Own",
    company_id: companyId,
    built_in: false,
    subject: "",
    preheader: "",
    document: JSON.stringify(paragraphDocument("Hello")),
    head: "",
    html: "<p>Hello</p>",
    text: "Hello",
    created_at: 1,
    updated_at: 1,
    ...fields,
  });
}

type NewRule = {
  eventType: string;
  language?: EmailLanguage;
  /** id of a library template; the event's default design if omitted */
  libraryId?: number;
  isBuiltIn?: boolean;
};

/** Returns the event of the catalog. */
function eventOf(eventType: string) {
  const event = findEvent(eventType);
  if (event === undefined) throw new Error(`no event ${eventType}`);
  return event;
}

/** Stores a custom template that no email rule uses. */
export async function storeRuleFreeTemplate(companyId: number, rule: NewRule): Promise<TemplateRow> {
  const { eventType, language = "en", libraryId, isBuiltIn = false } = rule;
  const event = eventOf(eventType);
  const db = openDb(testEnv.DB);
  const design = await db.first(
    libraryId === undefined ? builtInDesigns([event.default_template]) : designOf(libraryId, companyId),
  );
  if (design === null) throw new Error("no design");
  const services = { settings: settingsOf(testEnv), clock };
  const customTemplate = await composeCustomTemplate(services, design, { companyId, event, language, createdBy: null });
  await db.batch({
    customTemplate: isBuiltIn ? storeBuiltInCustomTemplate(customTemplate) : storeCustomTemplate(customTemplate, 200),
  });
  const [template] = await readRows(templates, eq(templates.template_key, customTemplate.template.template_key));
  if (template === undefined) throw new Error("no custom template was stored");
  return template;
}

/** Stores a custom template with the email rule that uses it. */
export async function storeRule(companyId: number, rule: NewRule): Promise<{ template: TemplateRow; rule: RuleRow }> {
  const { eventType, language = "en", isBuiltIn = false } = rule;
  const template = await storeRuleFreeTemplate(companyId, rule);
  const stored = await insertRow(rules, {
    company_id: companyId,
    service: eventOf(eventType).service,
    event_type: eventType,
    enabled: true,
    template_id: template.id,
    language,
    recipient_mode: "hints",
    static_recipients_enc: "",
    seal_id: crypto.randomUUID(),
    built_in: isBuiltIn,
    created_at: clock.now(),
    updated_at: clock.now(),
  });
  return { template, rule: stored };
}

/** Stores a custom template like storeRuleFreeTemplate, but numbers its only version with the template's id. */
export async function storeNumberedTemplate(companyId: number): Promise<TemplateRow> {
  const template = await storeRuleFreeTemplate(companyId, { eventType: "identity.group.created" });
  const versionsOfTemplate = eq(template_versions.template_id, template.id);
  await updateRows(template_versions, { number: template.id, state: "draft" }, versionsOfTemplate);
  return template;
}

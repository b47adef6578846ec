import type { LibraryRow, TemplateRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { randomFromAlphabet } from "../../../kit/crypto/random";
import type { Bound } from "../../../kit/db/statement";
import { adaptToEvent } from "../../content/documents/adapted-design";
import { findAuthProblem } from "../../content/documents/auth-checks";
import type { MailDraft } from "../../content/documents/document-text";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import {
  findDesign,
  findDesignsByKey,
  insertBuiltInCustomTemplate,
  insertCustomTemplate,
  insertCustomTemplateOfNewsletter,
  insertCustomTemplateOfType,
  insertFirstVersion,
  insertStandaloneTemplate,
} from "./custom-template.store";
import { fillExampleMail } from "./example-mail";
import { type ComposedVersion, composeVersion } from "./version";

/** The columns of a library design that are needed to create a custom template. */
export type DesignRow = Pick<LibraryRow, "id" | "key" | "set_key" | "company_id" | "document">;

/** The company, event and language of a new custom template. `createdBy` is null for templates of built-in rules. */
export type CustomTemplateInput = {
  companyId: number;
  event: CatalogEvent;
  language: EmailLanguage;
  createdBy: number | null;
  /** absent: the template of an email rule */
  kind?: TemplateRow["kind"];
  /** absent: the label of the event */
  name?: string;
};

/** A custom template to store, with its published first version. */
export type NewCustomTemplate = {
  template: Omit<TemplateRow, "id" | "active_version" | "hidden_at">;
  version: ComposedVersion;
  createdBy: number | null;
};

const KEY_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns a random template key. */
export const newTemplateKey = (): string => `company.${randomFromAlphabet(KEY_ALPHABET, 12)}`;

/** Returns the statement that selects the design with this id, if it is built in or belongs to the company. */
export const designOf = (id: number, companyId: number): Bound<DesignRow> => findDesign({ id, companyId });

/** Returns the statement that selects built-in designs by key, such as the `default_template` of events. */
export const builtInDesigns = (keys: readonly string[]): Bound<DesignRow> => findDesignsByKey({ keys });

/**
 * Composes a custom template from a design. The design is adapted to the event; subject, preheader and name come from the
 * catalog. Throws 400 with the code of the publish check that the design fails, including the check of its size, or 503
 * `renderer_unavailable`.
 */
export async function composeCustomTemplate(
  { settings, clock }: Pick<EmailServices, "settings" | "clock">,
  design: DesignRow,
  { companyId, event, language, createdBy, kind = "event", name = event.label }: CustomTemplateInput,
): Promise<NewCustomTemplate> {
  const draft = draftOf(design, event, language, settings.authLinkHosts);
  const problem = findAuthProblem(event, draft, settings.authLinkHosts);
  if (problem !== null) throw new Problem(problem.code, { field_errors: problem.field_errors });
  const version = await composeVersion(draft, { set: design.set_key, language });
  fillExampleMail(event, language, version, settings);
  return {
    template: {
      template_key: newTemplateKey(),
      kind,
      company_id: companyId,
      event_type: event.event_type,
      name,
      language,
      source_key: design.key,
      set_key: design.set_key,
      created_at: clock.now(),
    },
    version,
    createdBy,
  };
}

/** Returns the draft of the first version of a custom template. */
function draftOf(
  design: Pick<DesignRow, "document">,
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): MailDraft {
  const document = adaptToEvent(JSON.parse(design.document) as EmailDocument, event, language, authLinkHosts);
  return { ...event.suggested[language], document };
}

/**
 * Returns the statements that store a custom template with its published version. They must run before the statement that
 * inserts the rule, because that statement looks up the template by key and inserts nothing without a template. Nothing is
 * stored when the company has `maxRules` rules or when the statements are repeated.
 */
export function storeCustomTemplate({ template, version, createdBy }: NewCustomTemplate, maxRules: number): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [
    insertCustomTemplate({ ...template, max_rules: maxRules }),
    insertFirstVersion({ ...version, key, createdBy, now }),
  ];
}

/** Like storeCustomTemplate, for an own event type. Stores nothing unless the type has this revision. */
export function storeCustomTemplateOfType(
  { template, version, createdBy }: NewCustomTemplate,
  revision: string,
): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [
    insertCustomTemplateOfType({ ...template, revision }),
    insertFirstVersion({ ...version, key, createdBy, now }),
  ];
}

/** Like storeCustomTemplate, for a newsletter. Stores nothing when the company has `maxNewsletters` newsletters. */
export function storeCustomTemplateOfNewsletter(
  { template, version, createdBy }: NewCustomTemplate,
  maxNewsletters: number,
): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [
    insertCustomTemplateOfNewsletter({ ...template, max_newsletters: maxNewsletters }),
    insertFirstVersion({ ...version, key, createdBy, now }),
  ];
}

/** Like storeCustomTemplate, for a built-in rule. Stores nothing when the company already has the built-in rule. */
export function storeBuiltInCustomTemplate({ template, version, createdBy }: NewCustomTemplate): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [insertBuiltInCustomTemplate(template), insertFirstVersion({ ...version, key, createdBy, now })];
}

/** Like storeCustomTemplate, for the content of a broadcast or newsletter, which no rule uses. */
export function storeStandaloneTemplate({ template, version, createdBy }: NewCustomTemplate): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [insertStandaloneTemplate(template), insertFirstVersion({ ...version, key, createdBy, now })];
}

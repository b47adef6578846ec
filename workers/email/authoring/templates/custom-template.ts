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
  insertFirstVersion,
} from "./custom-template.store";
import { requireMailSize } from "./example-mail";
import { type ComposedVersion, composeVersion } from "./version";

/** The columns of a library design that custom templates are made from. */
export type DesignRow = Pick<LibraryRow, "id" | "key" | "set_key" | "company_id" | "document">;

/** Company, event and language of a new custom template. `createdBy` is null when the service creates it by itself. */
export type CustomTemplateInput = {
  companyId: number;
  event: CatalogEvent;
  language: EmailLanguage;
  createdBy: number | null;
};

/** A custom template ready to be stored, with its first version, which is published. */
export type NewCustomTemplate = {
  template: Omit<TemplateRow, "id" | "active_version" | "hidden_at">;
  version: ComposedVersion;
  createdBy: number | null;
};

const KEY_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Statement: a design that a company may use, either built in or its own. */
export const designOf = (id: number, companyId: number): Bound<DesignRow> => findDesign({ id, companyId });

/** Statement: built-in designs by key, such as the `default_template` of events. */
export const builtInDesigns = (keys: readonly string[]): Bound<DesignRow> => findDesignsByKey({ keys });

/**
 * Composes a custom template from a design: adapted to the event, with the catalog's subject and preheader, named by the
 * event's label. Throws 400 with the code of the publish check that a company's own design fails, including its size, and
 * 503 `renderer_unavailable`.
 */
export async function composeCustomTemplate(
  { settings, clock }: Pick<EmailServices, "settings" | "clock">,
  design: DesignRow,
  { companyId, event, language, createdBy }: CustomTemplateInput,
): Promise<NewCustomTemplate> {
  const draft = draftOf(design, event, language, settings.authLinkHosts);
  const problem = findAuthProblem(event, draft, settings.authLinkHosts);
  if (problem !== null) throw new Problem(problem.code, { field_errors: problem.field_errors });
  const version = await composeVersion(draft, { set: design.set_key, language });
  requireMailSize(event, language, version, settings);
  return {
    template: {
      template_key: `company.${randomFromAlphabet(KEY_ALPHABET, 12)}`,
      kind: "event",
      company_id: companyId,
      event_type: event.event_type,
      name: event.label,
      language,
      source_key: design.key,
      set_key: design.set_key,
      created_at: clock.now(),
    },
    version,
    createdBy,
  };
}

/** Returns the first version of a custom template from this design. */
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
 * Returns the statements that store a custom template with its published version. They must precede the statement that
 * inserts its rule, which finds the template by its key (`insert into rules … select … from templates where template_key =
 * …`) and inserts nothing without one. A company with `maxRules` rules gets no template. A repeat adds nothing.
 */
export function storeCustomTemplate({ template, version, createdBy }: NewCustomTemplate, maxRules: number): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [
    insertCustomTemplate({ ...template, max_rules: maxRules }),
    insertFirstVersion({ ...version, key, createdBy, now }),
  ];
}

/** Like storeCustomTemplate, for a built-in rule. Stores nothing when the company already has the built-in rule of the event. */
export function storeBuiltInCustomTemplate({ template, version, createdBy }: NewCustomTemplate): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [insertBuiltInCustomTemplate(template), insertFirstVersion({ ...version, key, createdBy, now })];
}

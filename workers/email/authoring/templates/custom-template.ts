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

/** A design of the library as copies are made of it. */
export type DesignRow = Pick<LibraryRow, "id" | "key" | "set_key" | "company_id" | "document">;

/** Whose copy, of which event and in which language; `createdBy`: the user, null where the service makes it by itself. */
export type CustomTemplateInput = {
  companyId: number;
  event: CatalogEvent;
  language: EmailLanguage;
  createdBy: number | null;
};

/** A copy that is ready to be stored: its row and its first version, published. */
export type NewCustomTemplate = {
  template: Omit<TemplateRow, "id" | "active_version" | "hidden_at">;
  version: ComposedVersion;
  createdBy: number | null;
};

const KEY_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The read of a design that a company may copy: a built-in one, or its own. */
export const designOf = (id: number, companyId: number): Bound<DesignRow> => findDesign({ id, companyId });

/** The read of built-in designs by their keys, such as `default_template` of events. */
export const builtInDesigns = (keys: readonly string[]): Bound<DesignRow> => findDesignsByKey({ keys });

/**
 * A copy of a design for an event: fitted to it, with the subject and preheader of the catalog, named by the event's label.
 * 400 with the code of a publish check that a company's own design does not pass, its size among them, 503 `renderer_unavailable`.
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

/** A design as the first version of a copy says it. */
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
 * Stores a copy with its published version, in front of the statement that makes its rule. That one finds the copy by its
 * key (`insert into rules … select … from templates where template_key = …`) and makes none where there is no copy: none
 * is stored for a company that has `maxRules` rules already. A repeat adds nothing.
 */
export function storeCustomTemplate({ template, version, createdBy }: NewCustomTemplate, maxRules: number): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [
    insertCustomTemplate({ ...template, max_rules: maxRules }),
    insertFirstVersion({ ...version, key, createdBy, now }),
  ];
}

/** As storeCustomTemplate, of a built-in rule: none is stored where the company has that rule of the event already. */
export function storeBuiltInCustomTemplate({ template, version, createdBy }: NewCustomTemplate): Bound[] {
  const { template_key: key, created_at: now } = template;
  return [insertBuiltInCustomTemplate(template), insertFirstVersion({ ...version, key, createdBy, now })];
}

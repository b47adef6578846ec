import { CATALOG_EVENTS, type CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { Bound, RowOfStatement } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { composeCustomTemplate, storeBuiltInCustomTemplate } from "../../authoring/templates/custom-template";
import { libraryMissing } from "../../content/library/load-library";
import type { EmailServices } from "../../services";
import { findMissing } from "./built-in.store";
import { insertBuiltInRule } from "./rule.store";

/** A built-in rule that a company lacks, with the design of its custom template. */
export type MissingRule = RowOfStatement<typeof findMissing>;

const isSignIn = ({ lane_class }: CatalogEvent) => lane_class === "auth";

const DEFAULT_DESIGNS = CATALOG_EVENTS.filter(isSignIn).map(({ event_type, default_template: design }) => ({
  event_type,
  design,
}));

/** Statement: the built-in rules that a company lacks. */
export const missingBuiltIns = (companyId: number): Bound<MissingRule> =>
  findMissing({ companyId, defaults: DEFAULT_DESIGNS });

/**
 * Returns the statements that create the missing built-in rules and their custom templates. Repeated and parallel calls
 * create nothing twice. Throws 503 `library_not_synced` when a design is missing, or 503 `renderer_unavailable`.
 */
export async function builtInStatements(
  services: EmailServices,
  companyId: number,
  missing: readonly MissingRule[],
): Promise<Bound[]> {
  const insertStatements = await Promise.all(
    CATALOG_EVENTS.map(async (event) => {
      const row = missing.find(({ event_type }) => event_type === event.event_type);
      return row === undefined ? [] : builtInRule(services, companyId, event, row);
    }),
  );
  return insertStatements.flat();
}

async function builtInRule(
  services: EmailServices,
  companyId: number,
  event: CatalogEvent,
  { id, key, set_key, document, company_id }: MissingRule,
): Promise<Bound[]> {
  if (id === null || key === null || set_key === null || document === null) throw libraryMissing(services);
  const design = { id, key, set_key, company_id, document };
  const customTemplate = await composeCustomTemplate(services, design, {
    companyId,
    event,
    language: "en",
    createdBy: null,
  });
  const rule = insertBuiltInRule({
    company_id: companyId,
    service: event.service,
    event_type: event.event_type,
    enabled: true,
    built_in: true,
    language: "",
    recipient_mode: "hints",
    static_recipients_enc: "",
    seal_id: uuid(),
    key: customTemplate.template.template_key,
    now: services.clock.now(),
  });
  return [...storeBuiltInCustomTemplate(customTemplate), rule];
}

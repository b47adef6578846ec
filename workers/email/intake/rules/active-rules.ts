import type { CustomTemplateContent, RuleRow } from "../../../../db/email/rows";
import type { Result } from "../../../kit/db/db";
import type { EmailKeys } from "../../keys";
import { findContents, findEnabled } from "./active-rules.store";
import { openRecipients } from "./static-recipients";

/** An enabled rule with its own addresses. `customTemplate` is null when no version is published. */
export type ActiveRule = Pick<RuleRow, "id" | "language" | "recipient_mode"> & {
  customTemplate: CustomTemplateContent | null;
  addresses: readonly string[];
};

/** Returns the statements that read the enabled rules of an event. */
export const selectActiveRules = (event: { companyId: number; eventType: string }) => ({
  rules: findEnabled(event),
  customTemplates: findContents(event),
});

/** Converts the results of selectActiveRules. Throws 503 when the addresses of a rule cannot be decrypted. */
export async function readActiveRules(
  { rules, customTemplates }: { rules: Result<RuleRow>; customTemplates: Result<CustomTemplateContent> },
  keys: Pick<EmailKeys, "variables">,
): Promise<ActiveRule[]> {
  const templateById = new Map(
    customTemplates.rows.map((customTemplate) => [customTemplate.template_id, customTemplate]),
  );
  return Promise.all(
    rules.rows.map(async (rule) => ({
      id: rule.id,
      language: rule.language,
      recipient_mode: rule.recipient_mode,
      customTemplate: templateById.get(rule.template_id) ?? null,
      addresses: rule.recipient_mode === "static" ? await openRecipients(rule, keys) : [],
    })),
  );
}

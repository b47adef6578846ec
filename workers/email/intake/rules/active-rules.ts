import type { CustomTemplateContent, RuleRow } from "../../../../db/email/rows";
import type { Result } from "../../../kit/db/db";
import type { EmailKeys } from "../../keys";
import { findContents, findEnabled } from "./active-rules.store";
import { openRecipients } from "./static-recipients";

/** A rule that makes mail: what it sends (null: nothing is published), and its own addresses, where it has such. */
export type ActiveRule = Pick<RuleRow, "id" | "language" | "recipient_mode"> & {
  customTemplate: CustomTemplateContent | null;
  addresses: readonly string[];
};

/** The reads of the rules that make mail of an event. */
export const activeRuleReads = (event: { companyId: number; eventType: string }) => ({
  rules: findEnabled(event),
  copies: findContents(event),
});

/** What those reads have found; 503 where the addresses of a rule do not open. */
export async function readActiveRules(
  { rules, copies: customTemplates }: { rules: Result<RuleRow>; copies: Result<CustomTemplateContent> },
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

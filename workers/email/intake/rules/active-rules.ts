import type { CopyContent, RuleRow } from "../../../../db/email/rows";
import type { Result } from "../../../kit/db/db";
import type { EmailKeys } from "../../keys";
import { findContents, findEnabled } from "./active-rules.store";
import { openRecipients } from "./static-recipients";

/** A rule that makes mail: what it sends (null: nothing is published), and its own addresses, where it has such. */
export type ActiveRule = Pick<RuleRow, "id" | "language" | "recipient_mode"> & {
  copy: CopyContent | null;
  addresses: readonly string[];
};

/** The reads of the rules that make mail of an event. */
export const activeRuleReads = (event: { companyId: number; eventType: string }) => ({
  rules: findEnabled(event),
  copies: findContents(event),
});

/** What those reads have found; 503 where the addresses of a rule do not open. */
export async function readActiveRules(
  { rules, copies }: { rules: Result<RuleRow>; copies: Result<CopyContent> },
  keys: Pick<EmailKeys, "variables">,
): Promise<ActiveRule[]> {
  const copyOf = new Map(copies.rows.map((copy) => [copy.template_id, copy]));
  return Promise.all(
    rules.rows.map(async (rule) => ({
      id: rule.id,
      language: rule.language,
      recipient_mode: rule.recipient_mode,
      copy: copyOf.get(rule.template_id) ?? null,
      addresses: rule.recipient_mode === "static" ? await openRecipients(rule, keys) : [],
    })),
  );
}

import type { AdminCaller } from "../auth/caller";
import type { Clock } from "../clock";
import type { WebhookScope } from "../webhooks/api";
import { actionEntry, actorOf, changeEntry, newRowEntry } from "./audit";

/** Returns the functions that return the audit statements of administrators' webhook changes and actions. */
export function webhookAudit(
  { clock }: { clock: Clock },
  caller: AdminCaller,
): Pick<WebhookScope, "auditEntry" | "auditAction"> {
  const actor = actorOf(caller);
  return {
    auditEntry: async ({ verb, companyId, data }) => {
      const { rule_id, ...changes } = data;
      const change = { actor, companyId, action: `action_rule.${verb}`, changes, now: clock.now() };
      if (verb === "created") return newRowEntry({ ...change, target: "action_rule" });
      return changeEntry({ ...change, target: `action_rule:${rule_id}` });
    },
    auditAction: async ({ verb, companyId, data }) => {
      const { rule_id, ...changes } = data;
      const [noun] = verb.split(".");
      const subject =
        noun === "rule" ? { target: `action_rule:${rule_id}`, changes } : { target: `action_${noun}`, changes: data };
      const entry = verb === "rule.tested" ? actionEntry : changeEntry;
      return entry({ actor, companyId, action: `action_${verb}`, ...subject, now: clock.now() });
    },
  };
}

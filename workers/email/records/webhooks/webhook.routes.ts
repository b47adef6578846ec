import { emailErrors } from "../../../../schemas/email/errors";
import { emailEventFields, emailEvents } from "../../../../schemas/email/events";
import type { AdminCaller } from "../../../kit/auth/caller";
import { admitOwners } from "../../../kit/webhooks/access/admission";
import type { WebhookScope } from "../../../kit/webhooks/api";
import { mountWebhooks } from "../../../kit/webhooks/mount";
import type { EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { actEntry, actorOf, changeEntry, newRowEntry } from "../audit/audit";
import { eventLog } from "./event-log.store";

/** Mounts webhooks of a company and its event log. */
export function mountEmailWebhooks(service: EmailService): void {
  mountWebhooks(service, {
    catalog: { events: emailEvents, fieldsOf: emailEventFields },
    errors: emailErrors,
    ...admitOwners<EmailServices>(({ settings }) => settings.eventRetentionDays, auditOf),
    companyOf: async (_services, companyId) => ({ id: companyId }),
    eventLog,
  });
}

function auditOf({ clock }: EmailServices, caller: AdminCaller): Pick<WebhookScope, "auditEntry" | "auditUse"> {
  const actor = actorOf(caller);
  return {
    auditEntry: async ({ verb, companyId, data }) => {
      const { rule_id, ...changes } = data;
      const change = { actor, companyId, action: `action_rule.${verb}`, changes, now: clock.now() };
      if (verb === "created") return newRowEntry({ ...change, target: "action_rule" });
      return changeEntry({ ...change, target: `action_rule:${rule_id}` });
    },
    auditUse: async ({ verb, companyId, data }) => {
      const { rule_id, ...changes } = data;
      const [noun] = verb.split(".");
      const about =
        noun === "rule" ? { target: `action_rule:${rule_id}`, changes } : { target: `action_${noun}`, changes: data };
      const entry = verb === "rule.tested" ? actEntry : changeEntry;
      return entry({ actor, companyId, action: `action_${verb}`, ...about, now: clock.now() });
    },
  };
}

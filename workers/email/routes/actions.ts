import { emailErrors } from "../../../schemas/email/errors";
import { emailEventFields, emailEvents } from "../../../schemas/email/events";
import { admitOwners } from "../../kit/actions/admit";
import { mountActions } from "../../kit/actions/routes/actions";
import type { EmailService } from "../http";
import type { EmailServices } from "../services";
import { eventLog } from "../store/event-log";

/** Mounts webhooks of a company and its event log (Document 2 "Actions", email details 11). */
export function mountEmailActions(service: EmailService): void {
  mountActions<EmailServices>(service, {
    catalog: { events: emailEvents, fieldsOf: emailEventFields },
    errors: emailErrors,
    refusals: [],
    admit: admitOwners(({ settings }) => settings.eventRetentionDays),
    companyOf: async (_services, companyId) => ({ id: companyId }),
    eventLog,
  });
}

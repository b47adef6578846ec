import { emailErrors } from "../../../../schemas/email/errors";
import { emailEventFields, emailEvents } from "../../../../schemas/email/events";
import { ownerAuthorization } from "../../../kit/webhooks/access/admission";
import { mountWebhooks } from "../../../kit/webhooks/mount";
import type { EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { eventLog } from "./event-log.store";

/** Mounts the routes for the webhooks and the event log of a company. */
export function mountEmailWebhooks(service: EmailService): void {
  mountWebhooks(service, {
    catalog: { events: emailEvents, fieldsOf: emailEventFields },
    errors: emailErrors,
    ...ownerAuthorization<EmailServices>(({ settings }) => settings.eventRetentionDays),
    companyOf: async (_services, companyId) => ({ id: companyId }),
    eventLog,
  });
}

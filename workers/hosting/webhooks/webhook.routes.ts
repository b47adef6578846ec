import { hostingErrors } from "../../../schemas/hosting/errors";
import { hostingEventFields, hostingEvents } from "../../../schemas/hosting/events";
import { ownerAuthorization } from "../../kit/webhooks/access/admission";
import { mountWebhooks } from "../../kit/webhooks/mount";
import type { HostingService } from "../http";
import type { HostingServices } from "../services";
import { eventLog } from "./event-log.store";

/** Mounts the webhooks of a company and its event log. */
export function mountHostingWebhooks(service: HostingService): void {
  mountWebhooks(service, {
    catalog: { events: hostingEvents, fieldsOf: hostingEventFields },
    errors: hostingErrors,
    ...ownerAuthorization<HostingServices>(({ settings }) => settings.eventRetentionDays),
    companyOf: async (_services, companyId) => ({ id: companyId }),
    eventLog,
  });
}

import { hostingErrors } from "../../../schemas/hosting/errors";
import { hostingEventFields, hostingEvents } from "../../../schemas/hosting/events";
import { admitOwners } from "../../kit/actions/admit";
import { mountActions } from "../../kit/actions/routes/actions";
import type { HostingService } from "../http";
import type { HostingServices } from "../services";
import { eventLog } from "../store/event-log";

/** Mounts webhooks of a company and its event log (details of Document 3, 4.9). */
export function mountHostingActions(service: HostingService): void {
  mountActions<HostingServices>(service, {
    catalog: { events: hostingEvents, fieldsOf: hostingEventFields },
    errors: hostingErrors,
    refusals: [],
    admit: admitOwners(({ settings }) => settings.eventRetentionDays),
    companyOf: async (_services, companyId) => ({ id: companyId }),
    eventLog,
  });
}

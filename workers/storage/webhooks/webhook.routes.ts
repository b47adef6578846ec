import { storageErrors } from "../../../schemas/storage/errors";
import { storageEventFields, storageEvents } from "../../../schemas/storage/events";
import { ownerAuthorization } from "../../kit/webhooks/access/admission";
import { mountWebhooks } from "../../kit/webhooks/mount";
import type { StorageService } from "../http";
import type { StorageServices } from "../services";
import { companyOf } from "./company";
import { eventLog } from "./event-log.store";

/** Mounts the webhook endpoints and the event log of a company. */
export function mountStorageWebhooks(service: StorageService): void {
  mountWebhooks(service, {
    catalog: { events: storageEvents, fieldsOf: storageEventFields },
    errors: storageErrors,
    ...ownerAuthorization<StorageServices>(({ settings }) => settings.eventRetentionDays),
    companyOf,
    eventLog,
  });
}

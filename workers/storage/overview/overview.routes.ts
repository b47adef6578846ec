import { storageErrors } from "../../../schemas/storage/errors";
import { mountSiblingOverview } from "../../kit/overview/overview.routes";
import type { StorageService } from "../http";
import { jobs } from "../jobs";
import { overview } from "./overview.store";

/** Mounts the counts that need attention. */
export function mountStorageOverview(service: StorageService): void {
  mountSiblingOverview(service, {
    errors: storageErrors,
    statements: overview,
    jobs,
    valuesOf: ({ settings }) => ({ retentionDays: settings.eventRetentionDays }),
  });
}

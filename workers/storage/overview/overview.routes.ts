import { storageErrors } from "../../../schemas/storage/errors";
import { mountSiblingOverview } from "../../kit/overview/overview.routes";
import type { StorageService } from "../http";
import { storageOverview } from "./overview";

/** Mounts the counts that need attention. */
export function mountStorageOverview(service: StorageService): void {
  mountSiblingOverview(service, { errors: storageErrors, source: storageOverview });
}

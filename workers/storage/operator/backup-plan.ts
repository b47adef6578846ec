import type { BackupPlan } from "../../kit/backup/backup-commands";
import type { StorageServices } from "../services";

/** The backup of storage: its rows, and the list of its objects. */
export const backupPlan: BackupPlan<StorageServices> = {
  late: [],
  derived: [],
  unused: ["storage_objects", "storage_uploads", "share_links"],
  ofCompany: { storage_upload_parts: { column: "upload_id", in: { table: "storage_uploads", column: "id" } } },
  shared: [],
  secrets: ({ settings }) => ({
    ACTIONS_ENCRYPTION_KEY: settings.webhooks.encryptionKey,
    STORAGE_SIGNING_KEY: settings.signing.key,
  }),
  buckets: ({ objects }) => ({ OBJECTS: objects }),
};

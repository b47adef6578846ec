import type { BackupPlan } from "../../kit/backup/backup-commands";
import type { HostingServices } from "../services";

/** The backup of hosting: its rows, and the list of the files of apps. */
export const backupPlan: BackupPlan<HostingServices> = {
  derived: [],
  unused: ["hosting_apps", "hosting_domains"],
  secrets: ({ settings }) => ({ ACTIONS_ENCRYPTION_KEY: settings.webhooks.encryptionKey }),
  buckets: ({ files }) => ({ FILES: files }),
};

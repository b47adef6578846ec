import type { BackupPlan } from "../../kit/backup/backup-commands";
import type { HostingServices } from "../services";

/** The backup of hosting: its rows, and the list of the files of apps. */
export const backupPlan: BackupPlan<HostingServices> = {
  late: [],
  derived: [],
  unused: ["hosting_apps", "hosting_domains"],
  ofCompany: { hosting_hostnames: { column: "hostname", in: { table: "hosting_domains", column: "hostname" } } },
  shared: [],
  secrets: ({ settings }) => ({ ACTIONS_ENCRYPTION_KEY: settings.webhooks.encryptionKey }),
  buckets: ({ files }) => ({ FILES: files }),
};

import type { BackupPlan } from "../../../kit/backup/backup-commands";
import type { EmailServices } from "../../services";

/** The backup of email: its rows, and the lists of logos and of the attachments of waiting mails. */
export const backupPlan: BackupPlan<EmailServices> = {
  derived: ["figure_hours", "message_totals"],
  unused: [
    "templates",
    "event_types",
    "broadcasts",
    "newsletters",
    "suppressions",
    "unsubscribes",
    "company_providers",
  ],
  secrets: ({ settings: { webhooks, rawKeys } }) => ({
    ACTIONS_ENCRYPTION_KEY: webhooks.encryptionKey,
    EMAIL_VARIABLES_KEY: rawKeys.variables,
    EMAIL_CREDENTIALS_KEY: rawKeys.credentials,
    EMAIL_HASH_PEPPER: rawKeys.pepper,
  }),
  buckets: ({ objects, attachments }) => ({ FILES: objects, ATTACHMENTS: attachments }),
};

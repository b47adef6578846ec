import type { BackupPlan } from "../../../kit/backup/backup-commands";
import type { EmailServices } from "../../services";

/** The backup of email: its rows, and the lists of logos and of the attachments of waiting mails. */
export const backupPlan: BackupPlan<EmailServices> = {
  late: [],
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
  ofCompany: {
    service_clients: { column: "owner_company_id" },
    // The default content of an own event type has a key such as `42:order.placed`.
    default_contents: { prefixed: "event_type" },
    template_versions: { column: "template_id", in: { table: "templates", column: "id" } },
    broadcast_recipients: { column: "broadcast_id", in: { table: "broadcasts", column: "id" } },
  },
  // An API key that lists no companies could send for all of them.
  exportedValues: (companyId) => ({ service_clients: { allowed_company_ids: JSON.stringify([companyId]) } }),
  shared: ["service_clients", "default_contents", "library_templates", "library_versions", "stats_marks"],
  secrets: ({ settings: { webhooks, rawKeys } }) => ({
    ACTIONS_ENCRYPTION_KEY: webhooks.encryptionKey,
    EMAIL_VARIABLES_KEY: rawKeys.variables,
    EMAIL_CREDENTIALS_KEY: rawKeys.credentials,
    EMAIL_HASH_PEPPER: rawKeys.pepper,
  }),
  buckets: ({ objects, attachments }) => ({ FILES: objects, ATTACHMENTS: attachments }),
};

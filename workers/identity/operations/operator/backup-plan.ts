import type { BackupPlan } from "../../../kit/backup/backup-commands";
import type { IdentityServices } from "../../services";

/** The backup of identity. Its triggers fill the totals, and a restored membership writes its row of the member search. */
export const backupPlan: BackupPlan<IdentityServices> = {
  derived: ["company_totals", "counters", "scim_companies"],
  unused: ["sessions", "personal_access_tokens", "invitations", "groups", "scim_tokens"],
  secrets: ({ settings }) => ({
    ACTIONS_ENCRYPTION_KEY: settings.webhooks.encryptionKey,
    SECRET_KEY: settings.secretKey,
    JWT_PRIVATE_KEY: settings.privateKeyPem,
  }),
  buckets: () => ({}),
};

import type { BackupPlan } from "../../../kit/backup/backup-commands";
import type { IdentityServices } from "../../services";

/** The backup of identity. */
export const backupPlan: BackupPlan<IdentityServices> = {
  // A new membership writes its row of the member search, which has the address and the names of the user.
  late: ["memberships"],
  derived: ["company_totals", "counters", "scim_companies"],
  unused: ["sessions", "personal_access_tokens", "invitations", "groups", "scim_tokens"],
  ofCompany: {
    companies: { column: "id" },
    users: { column: "id", in: { table: "memberships", column: "user_id" } },
    preferences: { column: "user_id", in: { table: "memberships", column: "user_id" } },
    group_members: { column: "group_id", in: { table: "groups", column: "id" } },
    group_groups: { column: "group_id", in: { table: "groups", column: "id" } },
  },
  // The file of a company must not let its reader sign in, nor give rights on the platform where it is restored.
  notExported: ["sessions", "sign_in_requests", "auth_codes", "oauth_states"],
  exportedValues: () => ({
    users: { is_staff: 0 },
    personal_access_tokens: { access_global_metrics: 0, agm_set_by: null },
  }),
  shared: [],
  secrets: ({ settings }) => ({
    ACTIONS_ENCRYPTION_KEY: settings.webhooks.encryptionKey,
    SECRET_KEY: settings.secretKey,
    JWT_PRIVATE_KEY: settings.privateKeyPem,
  }),
  buckets: () => ({}),
};

import { managementCommands } from "../../../schemas/management";
import { storageErrors } from "../../../schemas/storage/errors";
import { auditCommands } from "../../kit/audit/command-audit";
import { backupCommands } from "../../kit/backup/backup-commands";
import { jobCommands } from "../../kit/jobs/api/commands";
import { authorizeCommand } from "../../kit/management/authorize";
import { mountManagement } from "../../kit/management/mount";
import { requeueCommand } from "../../kit/webhooks/deliveries/requeue-command";
import type { StorageService } from "../http";
import { jobs } from "../jobs";
import { quotaCommands } from "../quotas/quota-commands";
import { backupPlan } from "./backup-plan";

/** Mounts the management commands for the operator and staff. */
export function mountCommands(service: StorageService): void {
  mountManagement(service, {
    errors: storageErrors,
    errorCodes: ["unauthorized", "pat_read_only"],
    commands: [
      ...auditCommands([...jobCommands(jobs, managementCommands.storage), requeueCommand()]),
      ...quotaCommands,
      ...backupCommands(managementCommands.storage, backupPlan),
    ],
    authorize: (c) => authorizeCommand(c.req.raw, c.get("services")),
  });
}

import { hostingErrors } from "../../../schemas/hosting/errors";
import { managementCommands } from "../../../schemas/management";
import { auditCommands } from "../../kit/audit/command-audit";
import { backupCommands } from "../../kit/backup/backup-commands";
import { jobCommands } from "../../kit/jobs/api/commands";
import { authorizeCommand } from "../../kit/management/authorize";
import { mountManagement } from "../../kit/management/mount";
import { requeueCommand } from "../../kit/webhooks/deliveries/requeue-command";
import type { HostingService } from "../http";
import { jobs } from "../jobs";
import { accessCommands } from "./access-command";
import { backupPlan } from "./backup-plan";

/** Mounts the management commands, for the operator and staff: the scheduled jobs, the requeue of webhooks and access. */
export function mountCommands(service: HostingService): void {
  mountManagement(service, {
    errors: hostingErrors,
    errorCodes: ["unauthorized", "pat_read_only"],
    commands: [
      ...auditCommands([...jobCommands(jobs, managementCommands.hosting), requeueCommand()]),
      ...accessCommands,
      ...backupCommands(managementCommands.hosting, backupPlan),
    ],
    authorize: (c) => authorizeCommand(c.req.raw, c.get("services")),
  });
}

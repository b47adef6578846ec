import { emailErrors } from "../../../../schemas/email/errors";
import { managementCommands } from "../../../../schemas/management";
import { auditCommands } from "../../../kit/audit/command-audit";
import { backupCommands } from "../../../kit/backup/backup-commands";
import { jobCommands } from "../../../kit/jobs/api/commands";
import { authorizeCommand } from "../../../kit/management/authorize";
import { mountManagement } from "../../../kit/management/mount";
import { requeueCommand } from "../../../kit/webhooks/deliveries/requeue-command";
import type { EmailService } from "../../http";
import { jobs } from "../../jobs";
import { keyCommands } from "../../records/clients/key-commands";
import type { EmailServices } from "../../services";
import { workerCommands } from "../jobs/worker-command";
import { backupPlan } from "./backup-plan";
import { reencryptCommands } from "./reencrypt";

/** Mounts the management commands for the operator. Staff may run some of them. */
export function mountCommands(service: EmailService): void {
  mountManagement(service, {
    errors: emailErrors,
    errorCodes: ["unauthorized", "pat_read_only"],
    commands: [
      ...keyCommands,
      ...backupCommands(managementCommands.email, backupPlan),
      ...auditCommands<EmailServices>([
        ...jobCommands(jobs, managementCommands.email),
        ...workerCommands,
        ...reencryptCommands,
        requeueCommand<EmailServices>(),
      ]),
    ],
    authorize: (c) => authorizeCommand(c.req.raw, c.get("services")),
  });
}

import { emailErrors } from "../../../schemas/email/errors";
import { managementCommands } from "../../../schemas/management";
import { jobCommands } from "../../kit/jobs/commands";
import { authorizeCommand } from "../../kit/management/authorize";
import { mountManagement } from "../../kit/management/mount";
import { requeueCommand } from "../../kit/webhooks/deliveries/requeue-command";
import { keyCommands } from "../clients/key-commands";
import type { EmailService } from "../http";
import { jobs } from "../jobs";

/** Mounts the management commands: for the operator, some for staff. */
export function mountCommands(service: EmailService): void {
  mountManagement(service, {
    errors: emailErrors,
    refusals: ["unauthorized", "pat_read_only"],
    commands: [...keyCommands, ...jobCommands(jobs, managementCommands.email), requeueCommand()],
    authorize: (c) => authorizeCommand(c.req.raw, c.get("services")),
  });
}

import { emailErrors } from "../../../../schemas/email/errors";
import { managementCommands } from "../../../../schemas/management";
import { jobCommands } from "../../../kit/jobs/api/commands";
import { authorizeCommand } from "../../../kit/management/authorize";
import { type ManagementCommand, mountManagement } from "../../../kit/management/mount";
import { requeueCommand } from "../../../kit/webhooks/deliveries/requeue-command";
import type { EmailService } from "../../http";
import { jobs } from "../../jobs";
import { actEntry } from "../../records/audit/audit";
import { keyCommands } from "../../records/clients/key-commands";
import type { EmailServices } from "../../services";
import { workerCommands } from "../jobs/worker-command";
import { reencryptCommands } from "./reencrypt";

/** Mounts the management commands: for the operator, some for staff. */
export function mountCommands(service: EmailService): void {
  mountManagement(service, {
    errors: emailErrors,
    refusals: ["unauthorized", "pat_read_only"],
    commands: [
      ...keyCommands,
      ...[
        ...jobCommands(jobs, managementCommands.email),
        ...[...workerCommands, ...reencryptCommands],
        requeueCommand<EmailServices>(),
      ].map(audited),
    ],
    authorize: (c) => authorizeCommand(c.req.raw, c.get("services")),
  });
}

/** Who ran a command stands in the audit log before its work begins; a count changes nothing and leaves none. */
function audited(command: ManagementCommand<EmailServices>): ManagementCommand<EmailServices> {
  const { name } = command.spec;
  return {
    ...command,
    run: async (services, flags, stream, actor) => {
      if (flags.dry_run !== true) {
        const entry = { action: "command.run", target: `command:${name}`, changes: { flags } };
        await services.platformDb.run(actEntry({ ...entry, actor, companyId: null, now: services.clock.now() }));
      }
      return command.run(services, flags, stream, actor);
    },
  };
}

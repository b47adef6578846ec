import { identityErrors } from "../../../../schemas/identity/errors";
import { managementCommands } from "../../../../schemas/management";
import { backupCommands } from "../../../kit/backup/backup-commands";
import { parseRequestedCompany } from "../../../kit/http/request/company-scope";
import { jobCommands } from "../../../kit/jobs/api/commands";
import { type CommandCaller, mountManagement } from "../../../kit/management/mount";
import { isOperatorKey, looksLikeOperatorKey } from "../../../kit/management/operator";
import { requeueCommand } from "../../../kit/webhooks/deliveries/requeue-command";
import { authorizeCaller } from "../../caller/credentials/authorize";
import { bearerOf, tokenInvalid } from "../../caller/credentials/credential";
import type { IdentityContext, IdentityService } from "../../http";
import { jobs } from "../jobs/job-set";
import { backupPlan } from "./backup-plan";
import { commands } from "./command";
import { peopleCommands } from "./people-command";

/** Mounts the management commands. The operator may run all of them, staff some. */
export function mountCommands(service: IdentityService): void {
  mountManagement(service, {
    errors: identityErrors,
    errorCodes: [
      "unauthorized",
      "token_invalid",
      "pat_read_only",
      "access_pending",
      "access_denied",
      "company_mismatch",
    ],
    commands: [
      ...commands,
      ...peopleCommands,
      ...jobCommands(jobs, managementCommands.identity),
      requeueCommand(),
      ...backupCommands(managementCommands.identity, backupPlan),
    ],
    authorize,
  });
}

async function authorize(c: IdentityContext): Promise<CommandCaller> {
  const services = c.get("services");
  const bearer = bearerOf(c.req.raw);
  if (bearer !== null && looksLikeOperatorKey(bearer)) {
    if (!(await isOperatorKey(bearer, services.settings.operatorKey))) throw tokenInvalid();
    return { kind: "operator", userId: null };
  }
  const requestedCompany = parseRequestedCompany({ query: c.req.query("company_id") });
  const { caller } = await authorizeCaller(services, c.req.raw, {
    role: "staff",
    requestedCompany,
    reads: () => ({}),
  });
  return { kind: caller.credential.kind, userId: caller.user.id };
}

import { identityErrors } from "../../../schemas/identity/errors";
import { managementCommands } from "../../../schemas/management";
import { jobCommands } from "../../kit/jobs/commands";
import { mountManagement } from "../../kit/management/mount";
import { isOperatorKey, looksLikeOperatorKey } from "../../kit/management/operator";
import { admit, bearerOf } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { jobs } from "../jobs/job-set";
import { tokenInvalid } from "../sessions/session";
import { commands } from "./command";

/** Mounts the management commands (identity details 13): for the operator, some for staff. */
export function mountCommands(service: IdentityService): void {
  mountManagement(service, {
    errors: identityErrors,
    refusals: ["unauthorized", "token_invalid", "pat_read_only", "access_pending", "access_denied", "company_mismatch"],
    commands: [...commands, ...jobCommands(jobs, managementCommands.identity)],
    authorize,
  });
}

async function authorize(c: IdentityContext): Promise<"operator" | "staff"> {
  const services = c.get("services");
  const bearer = bearerOf(c.req.raw);
  if (bearer !== null && looksLikeOperatorKey(bearer)) {
    if (!(await isOperatorKey(bearer, services.settings.operatorKey))) throw tokenInvalid();
    return "operator";
  }
  await admit(services, c.req.raw, "staff");
  return "staff";
}

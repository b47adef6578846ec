import { emailErrors } from "../../../schemas/email/errors";
import { managementCommands } from "../../../schemas/management";
import { readBearer, requireAdmin, unauthorized } from "../../kit/auth/caller";
import { requireStaff } from "../../kit/auth/role";
import { jobCommands } from "../../kit/jobs/commands";
import { mountManagement } from "../../kit/management/mount";
import { isOperatorKey, looksLikeOperatorKey } from "../../kit/management/operator";
import type { EmailContext, EmailService } from "../http";
import { jobs } from "../jobs/jobs";

/** Mounts the management commands (email details 12.3): for the operator, some for staff. */
export function mountCommands(service: EmailService): void {
  mountManagement(service, {
    errors: emailErrors,
    refusals: ["unauthorized", "pat_read_only"],
    commands: jobCommands(jobs, managementCommands.email),
    authorize,
  });
}

async function authorize(c: EmailContext): Promise<"operator" | "staff"> {
  const services = c.get("services");
  const bearer = readBearer(c.req.raw);
  if (looksLikeOperatorKey(bearer)) {
    if (!(await isOperatorKey(bearer, services.settings.operatorKey))) throw unauthorized();
    return "operator";
  }
  requireStaff(await requireAdmin(c.req.raw, services));
  return "staff";
}

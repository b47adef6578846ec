import { type CallerServices, readBearer, requireAdmin, unauthorized } from "../auth/caller";
import { requireStaff } from "../auth/role";
import { isOperatorKey, looksLikeOperatorKey } from "./operator";

/** Who runs a management command: the operator by key, else staff by a session or a token that may write. 401, 403. */
export async function authorizeCommand(
  request: Request,
  services: CallerServices & { settings: { operatorKey: string } },
): Promise<"operator" | "staff"> {
  const bearer = readBearer(request);
  if (looksLikeOperatorKey(bearer)) {
    if (!(await isOperatorKey(bearer, services.settings.operatorKey))) throw unauthorized();
    return "operator";
  }
  requireStaff(await requireAdmin(request, services));
  return "staff";
}

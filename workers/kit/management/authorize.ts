import { type CallerServices, readBearer, requireAdmin, unauthorized } from "../auth/caller";
import { requireStaff } from "../auth/role";
import type { CommandCaller } from "./mount";
import { isOperatorKey, looksLikeOperatorKey } from "./operator";

/**
 * Authorizes a management command, for the operator by key or for staff by a session or a PAT that may write. Throws
 * 401, 403 or 503.
 */
export async function authorizeCommand(
  request: Request,
  services: CallerServices & { settings: { operatorKey: string } },
): Promise<CommandCaller> {
  const bearer = readBearer(request);
  if (looksLikeOperatorKey(bearer)) {
    if (!(await isOperatorKey(bearer, services.settings.operatorKey))) throw unauthorized();
    return { kind: "operator", userId: null };
  }
  const caller = await requireAdmin(request, services);
  requireStaff(caller);
  return { kind: caller.kind, userId: caller.userId };
}

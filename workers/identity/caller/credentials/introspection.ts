import type { IntrospectInput, IntrospectResult } from "../../../../schemas/rpc";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { authenticate, type Caller } from "./caller";

/**
 * Authenticates a bearer token for another service. Returns the caller's live values, or the status and code of the
 * rejection.
 */
export async function introspect(
  services: IdentityServices,
  input: IntrospectInput,
  statusOf: (code: string) => number,
): Promise<IntrospectResult> {
  try {
    const presented = { token: input.token, method: input.method, network: input.network ?? null };
    const { caller } = await authenticate(services, presented, () => ({}));
    if (input.company_id !== undefined && input.company_id !== caller.companyId && !caller.isStaff) {
      throw new Problem("company_mismatch");
    }
    return { active: true, ...describe(caller) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { active: false, status: statusOf(error.code), error_code: error.code };
  }
}

function describe({ user, companyId, isStaff, isOwner, exp, credential }: Caller) {
  return {
    kind: credential.kind,
    user_id: user.id,
    company_id: companyId,
    email: user.email,
    is_staff: isStaff,
    is_company_owner: isOwner,
    groups: user.group_names ?? [],
    exp,
    ...(credential.kind === "session"
      ? { auth_time: Math.floor(credential.authTime / 1000), sid: credential.sid }
      : { pat_id: credential.id, pat_ro: credential.isReadOnly, pat_agm: credential.seesGlobalMetrics }),
  };
}

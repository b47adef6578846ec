import type { AuditRow } from "../../../db/kit/audit";
import { iso } from "../time";

/** Returns an audit entry in the form of the API. */
export function presentEntry({ id, at, actor_kind, actor_user_id, company_id, action, target, changes }: AuditRow) {
  return {
    id,
    at: iso(at),
    actor: { kind: actor_kind, user_id: actor_user_id },
    company_id: company_id === 0 ? null : company_id,
    action,
    target,
    changes: JSON.parse(changes) as object,
  };
}

import type { AccessRow } from "../../../db/hosting/schema";
import type { PublicAccess } from "../../../schemas/hosting/access";
import { iso } from "../../kit/time";

/** Returns the API representation of a company's access; a company without a row has not asked. */
export function presentAccess(companyId: number, row: AccessRow | null): PublicAccess {
  return {
    company_id: companyId,
    status: row?.status ?? "none",
    requested_at: iso(row?.requested_at ?? null),
    requested_by_id: row?.requested_by_id ?? null,
    reviewed_at: iso(row?.reviewed_at ?? null),
    reviewed_by_id: row?.reviewed_by_id ?? null,
    notes: row?.notes ?? "",
  };
}

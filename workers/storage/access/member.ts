import { requireMember } from "../../kit/auth/caller";
import type { Person } from "../companies/company";
import type { StorageServices } from "../services";

/** A member of the company whose objects a call is about. */
export type Member = { companyId: number; person: Person; isOwner: boolean };

/** The person of a call whose body is no JSON: any member of the token's company; 401, 403, 503. */
export async function admitMember(services: StorageServices, request: Request): Promise<Member> {
  const { companyId, userId, email, isOwner, isStaff } = await requireMember(request, services);
  return { companyId, person: { userId, email }, isOwner: isOwner || isStaff };
}

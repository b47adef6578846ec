import { type AdmittedMember, admitMember as admitCaller, whileLive } from "../../kit/auth/caller";
import type { Person } from "../companies/company";
import type { StorageServices } from "../services";

/** A member of the company whose objects a call is about. */
export type Member = {
  companyId: number;
  person: Person;
  /**
   * Awaits the first read of the call together with the live check of the token, whose refusal wins. Every change comes after it.
   */
  firstRead: <T>(read: Promise<T>) => Promise<T>;
};

const toMember = (admitted: AdmittedMember): Member => {
  const { companyId, userId, email, kind } = admitted.caller;
  return { companyId, person: { userId, email, kind }, firstRead: (read) => whileLive(admitted, read) };
};

/**
 * Runs a call of a member whose body is not JSON: any member of the token's company; 401, 403, 503. When the call fails before its
 * first read, the refusal of a member whose access has ended still comes first.
 */
export async function asMember<T>(
  services: StorageServices,
  request: Request,
  work: (member: Member) => Promise<T>,
): Promise<T> {
  const admitted = await admitCaller(request, services);
  const working = work(toMember(admitted));
  return whileLive(admitted, working);
}

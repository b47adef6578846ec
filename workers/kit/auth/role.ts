import { isCompanyOmitted, type RequestedCompany, requireCompany } from "../http/request/company-scope";
import { Problem } from "../problem";
import type { AdminCaller } from "./caller";

/**
 * Returns the company of the call. Requires staff or an owner of that company; throws 400, 403 `company_mismatch` or
 * 403 `forbidden`.
 */
export function requireOwner(caller: AdminCaller, requestedCompany: RequestedCompany): number {
  const companyId = companyOf(caller, requestedCompany);
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  return companyId;
}

/** Throws 403 `forbidden` unless the caller is staff. */
export function requireStaff(caller: AdminCaller): void {
  if (!caller.isStaff) throw new Problem("forbidden");
}

/** Returns whether the caller is staff, or an owner whose token is for the company. */
export function isOwnerOf(caller: AdminCaller, companyId: number): boolean {
  return caller.isStaff || (caller.isOwner && caller.companyId === companyId);
}

/**
 * Returns the company that the row in the path must belong to, or null for staff who name no company. Other callers
 * must own the company of their token.
 */
export function requireRowScope(caller: AdminCaller, requestedCompany: RequestedCompany): number | null {
  return caller.isStaff && isCompanyOmitted(requestedCompany) ? null : requireOwner(caller, requestedCompany);
}

/** Returns the company that a staff route filters by, or null. Checks the company before the role. */
export function requireStaffScope(caller: AdminCaller, requestedCompany: RequestedCompany): number | null {
  const companyId = isCompanyOmitted(requestedCompany) ? null : companyOf(caller, requestedCompany);
  requireStaff(caller);
  return companyId;
}

const companyOf = ({ companyId, isStaff }: AdminCaller, requestedCompany: RequestedCompany) =>
  requireCompany(requestedCompany, { token: companyId, isStaff });

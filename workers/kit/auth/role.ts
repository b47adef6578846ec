import { type NamedCompany, namesNone, requireCompany } from "../http/request/company-scope";
import { Problem } from "../problem";
import type { AdminCaller } from "./caller";

/** The company of the call, then the role in it: staff, or an owner of that company. 400, 403 `company_mismatch`, `forbidden`. */
export function requireOwner(caller: AdminCaller, named: NamedCompany): number {
  const companyId = companyOf(caller, named);
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  return companyId;
}

/** 403 `forbidden` for everybody but staff. */
export function requireStaff(caller: AdminCaller): void {
  if (!caller.isStaff) throw new Problem("forbidden");
}

/** Whether the caller is staff or owns that company. */
export function isOwnerOf(caller: AdminCaller, companyId: number): boolean {
  return caller.isStaff || (caller.isOwner && caller.companyId === companyId);
}

/**
 * The company of a route with a row id in its path, or null when the row decides: staff who name none. For others it is
 * the token's company, and they own it.
 */
export function requireRowScope(caller: AdminCaller, named: NamedCompany): number | null {
  return caller.isStaff && namesNone(named) ? null : requireOwner(caller, named);
}

/** The company that a staff route is narrowed to, or null. The scope is judged before the role. */
export function requireStaffScope(caller: AdminCaller, named: NamedCompany): number | null {
  const companyId = namesNone(named) ? null : companyOf(caller, named);
  requireStaff(caller);
  return companyId;
}

const companyOf = ({ companyId, isStaff }: AdminCaller, named: NamedCompany) =>
  requireCompany(named, { token: companyId, isStaff });

import { companyScope } from "../http/request/company-scope";
import { Problem } from "../problem";
import type { AdminCaller } from "./caller";

/** Where a call may name its company: its query, then its body. */
export type NamedScope = { query?: string | undefined; body?: unknown };

/** The company of the call, then the role in it: staff, or an owner of that company. 400, 403 `company_mismatch`, `forbidden`. */
export function requireOwner(caller: AdminCaller, scope: NamedScope): number {
  const companyId = companyScope({ ...scope, token: caller.companyId, isStaff: caller.isStaff });
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
export function requireRowScope(caller: AdminCaller, scope: NamedScope): number | null {
  return caller.isStaff && !isNamed(scope) ? null : requireOwner(caller, scope);
}

/** The company that a staff route is narrowed to, or null. The scope is judged before the role. */
export function requireStaffScope(caller: AdminCaller, scope: NamedScope = {}): number | null {
  const companyId = isNamed(scope)
    ? companyScope({ ...scope, token: caller.companyId, isStaff: caller.isStaff })
    : null;
  requireStaff(caller);
  return companyId;
}

const isNamed = ({ query, body }: NamedScope) => query !== undefined || (body !== undefined && body !== null);

/** The row when it is there and of the company that the call is narrowed to (null: of any company), else null. */
export function inScope<Row extends { company_id: number }>(row: Row | null | undefined, scope: number | null) {
  return row && (scope === null || row.company_id === scope) ? row : null;
}

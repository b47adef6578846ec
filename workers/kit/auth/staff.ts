import type { Db } from "../db";
import { requireAdmin } from "./caller";
import { requireStaff } from "./role";

/** Lets staff through (401, 403 `forbidden`) and answers their reads, in one round trip. */
export async function admitStaff<T extends unknown[]>(
  request: Request,
  services: Parameters<typeof requireAdmin>[1] & { db: Db },
  reads: D1PreparedStatement[],
): Promise<{ [K in keyof T]: D1Result<T[K]> }> {
  requireStaff(await requireAdmin(request, services));
  const results = reads.length === 0 ? [] : await services.db.batch<unknown[]>(reads);
  return results as { [K in keyof T]: D1Result<T[K]> };
}

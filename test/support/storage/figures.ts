import { eq } from "drizzle-orm";
import {
  company_quotas,
  quota_reservations,
  storage_blobs,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { readRows } from "../webhooks/rows";

/** Returns the counters of a company and the sums over its objects, which must agree. */
export async function readCounters(companyId: number) {
  const [quota] = await readRows(company_quotas, eq(company_quotas.company_id, companyId));
  const users = await readRows(user_quotas, eq(user_quotas.company_id, companyId));
  const objects = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
  const reservations = await readRows(quota_reservations, eq(quota_reservations.company_id, companyId));
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    used: quota?.used_bytes ?? 0,
    usedByUsers: sum(users.map(({ used_bytes }) => used_bytes)),
    stored: sum(objects.map(({ size }) => size)),
    count: quota?.object_count ?? 0,
    objects: objects.length,
    reserved: (quota?.reserved_bytes ?? 0) + sum(users.map(({ reserved_bytes }) => reserved_bytes)),
    reservations: reservations.length,
    refs: sum(blobs.map(({ refs }) => refs)),
  };
}

/** The expected result of readCounters for a company without running uploads. */
export const settledCounters = (bytes: number, objects: number) => ({
  used: bytes,
  usedByUsers: bytes,
  stored: bytes,
  count: objects,
  objects,
  reserved: 0,
  reservations: 0,
  refs: objects,
});

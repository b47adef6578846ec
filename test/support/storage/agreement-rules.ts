import { expect } from "vitest";
import type { company_quotas, storage_blobs, storage_objects, user_quotas } from "../../../db/storage/schema";

/** The stored rows of one company; `keys` are the keys in its R2 bucket. */
export type Stored = {
  objects: Pick<typeof storage_objects.$inferSelect, "blob_key" | "owner_id" | "size">[];
  blobs: Pick<typeof storage_blobs.$inferSelect, "key" | "refs">[];
  keys: string[];
  reservations: unknown[];
  company: Pick<typeof company_quotas.$inferSelect, "used_bytes" | "reserved_bytes" | "object_count"> | undefined;
  users: Pick<typeof user_quotas.$inferSelect, "user_id" | "used_bytes" | "reserved_bytes">[];
};

/**
 * Expects rows, R2 and counters to agree: each object has its blob, each blob has a row, and nothing is counted twice.
 */
export function expectStoredAgrees({ objects, blobs, keys, reservations, company, users }: Stored): void {
  const refs = new Map<string, number>();
  for (const { blob_key } of objects) refs.set(blob_key, (refs.get(blob_key) ?? 0) + 1);
  expect(keys.toSorted(), "what the bucket holds").toEqual([...refs.keys()].toSorted());
  expect(new Map(blobs.map(({ key, refs: count }) => [key, count])), "references").toEqual(refs);
  expect(reservations).toEqual([]);
  const used = objects.reduce((sum, { size }) => sum + size, 0);
  expect([company?.used_bytes ?? 0, company?.reserved_bytes ?? 0, company?.object_count ?? 0], "the company").toEqual([
    used,
    0,
    objects.length,
  ]);
  for (const user of users) {
    const storedBytes = objects
      .filter(({ owner_id }) => owner_id === user.user_id)
      .reduce((sum, { size }) => sum + size, 0);
    expect([user.used_bytes, user.reserved_bytes], `user ${user.user_id}`).toEqual([storedBytes, 0]);
  }
}

import { expect, it } from "vitest";
import { createVerifiedKeys } from "../../../workers/email/records/clients/verified-keys";

it("caches at most 500 keys per isolate, each for ten minutes after its verification", () => {
  const verifiedKeys = createVerifiedKeys();
  const isVerified = (key: number, now = 1) => verifiedKeys.has(`key-${key}`, now);
  for (let key = 0; key < 500; key++) verifiedKeys.add(`key-${key}`, 0);
  verifiedKeys.add("key-0", 0);
  verifiedKeys.add("key-500", 0);
  expect([isVerified(0), isVerified(1), isVerified(2), isVerified(500)]).toEqual([true, false, true, true]);
  expect([isVerified(2, 599_999), isVerified(2, 600_000)]).toEqual([true, false]);
  verifiedKeys.delete("key-2");
  expect(isVerified(2)).toBe(false);
});

import { expect, it } from "vitest";
import { createVerifiedKeys } from "../../../workers/kit/auth/verified-keys";

it("caches at most 500 keys per isolate, each for ten minutes after its verification", () => {
  const verifiedKeys = createVerifiedKeys<true>();
  const isVerified = (key: number, now = 1) => verifiedKeys.get(`key-${key}`, now) === true;
  for (let key = 0; key < 500; key++) verifiedKeys.add(`key-${key}`, true, 0);
  verifiedKeys.add("key-0", true, 0);
  verifiedKeys.add("key-500", true, 0);
  expect([isVerified(0), isVerified(1), isVerified(2), isVerified(500)]).toEqual([true, false, true, true]);
  expect([isVerified(2, 599_999), isVerified(2, 600_000)]).toEqual([true, false]);
  verifiedKeys.delete("key-2");
  expect(isVerified(2)).toBe(false);
});

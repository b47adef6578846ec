import { expect, it } from "vitest";
import { createProvenKeys } from "../../../workers/email/records/clients/proven-keys";

it("caches at most 500 keys per isolate, each for ten minutes after its verification", () => {
  const provenKeys = createProvenKeys();
  const isProven = (key: number, now = 1) => provenKeys.has(`key-${key}`, now);
  for (let key = 0; key < 500; key++) provenKeys.add(`key-${key}`, 0);
  provenKeys.add("key-0", 0);
  provenKeys.add("key-500", 0);
  expect([isProven(0), isProven(1), isProven(2), isProven(500)]).toEqual([true, false, true, true]);
  expect([isProven(2, 599_999), isProven(2, 600_000)]).toEqual([true, false]);
  provenKeys.delete("key-2");
  expect(isProven(2)).toBe(false);
});

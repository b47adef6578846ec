import { expect, it } from "vitest";
import { createProvenKeys } from "../../../workers/email/records/clients/proven-keys";

it("an isolate remembers at most 500 keys, for ten minutes after each was last verified", () => {
  const known = createProvenKeys();
  const isKnown = (key: number, now = 1) => known.has(`key-${key}`, now);
  for (let key = 0; key < 500; key++) known.add(`key-${key}`, 0);
  known.add("key-0", 0);
  known.add("key-500", 0);
  expect([isKnown(0), isKnown(1), isKnown(2), isKnown(500)]).toEqual([true, false, true, true]);
  expect([isKnown(2, 599_999), isKnown(2, 600_000)]).toEqual([true, false]);
  known.delete("key-2");
  expect(isKnown(2)).toBe(false);
});

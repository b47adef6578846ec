import { expect, test } from "vitest";
import type { PageEntry } from "../../../schemas/shell/page.ts";
import { movedTo, splitPinned, toggled } from "../../../shell/client/src/places/pins.ts";
import { settingsOf } from "../../../shell/client/src/places/place-owner.ts";

test("pinned items keep the order of the pins, leave their groups, and groups without items disappear", () => {
  const item = (path: string) => ({ path, label: path, url: "/__welcome" });
  const entries = [item("home"), { title: "Work", items: [item("orders")] }, item("notes")] as unknown as PageEntry[];
  const { items, others } = splitPinned(entries, toggled(["notes", "gone"], "orders"));
  expect(items.map(({ path }) => path)).toEqual(["notes", "orders"]);
  expect(others).toEqual([item("home")]);
  expect(splitPinned(entries, toggled(["notes"], "notes"))).toEqual({ items: [], others: entries });
});

test("a moved pin changes only the order of the pins that the user sees", () => {
  expect(movedTo(["elsewhere", "a", "hidden", "b", "c"], ["a", "b", "c"], "c", 0)).toEqual([
    "elsewhere",
    "c",
    "hidden",
    "a",
    "b",
  ]);
});

test("places belong to one user, and pins of a visitor to the first user who signs in", () => {
  const ofUser = { language: "fr", placesOwner: "1/7", recent: ["a"], pinned: ["b"] };
  expect(settingsOf("1/7", ofUser)).toBe(ofUser);
  expect(settingsOf("1/8", ofUser)).toEqual({ language: "fr", placesOwner: "1/8" });
  expect(settingsOf("2/7", ofUser)).toEqual({ language: "fr", placesOwner: "2/7" });
  expect(settingsOf(undefined, ofUser)).toEqual({ language: "fr" });
  expect(settingsOf(undefined, { pinned: ["b"], recent: ["a"] })).toEqual({ pinned: ["b"] });
  expect(settingsOf("1/7", { pinned: ["b"] })).toEqual({ pinned: ["b"], placesOwner: "1/7" });
});

import { expect, test } from "vitest";
import type { PageEntry } from "../../../schemas/shell/page.ts";
import { splitPinned, toggled } from "../../../shell/client/src/navigation/pins.ts";

test("pinned items keep the order of the pins, leave their groups, and groups without items disappear", () => {
  const item = (path: string) => ({ path, label: path, url: "/__welcome" });
  const entries = [item("home"), { title: "Work", items: [item("orders")] }, item("notes")] as unknown as PageEntry[];
  const { items, others } = splitPinned(entries, toggled(["notes", "gone"], "orders"));
  expect(items.map(({ path }) => path)).toEqual(["notes", "orders"]);
  expect(others).toEqual([item("home")]);
  expect(splitPinned(entries, toggled(["notes"], "notes"))).toEqual({ items: [], others: entries });
});

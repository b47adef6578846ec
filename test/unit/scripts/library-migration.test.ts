import { describe, expect, it } from "vitest";
import { findLibraryTarget } from "../../../scripts/support/library-migration";

const files = [
  { name: "0003_totals.sql", text: "CREATE" },
  { name: "0000_init.sql", text: "CREATE" },
  { name: "0001_library.sql", text: "first" },
];

describe("the migration of the library", () => {
  it("needs none while the newest one holds what is composed", () => {
    expect(findLibraryTarget(files, "first", () => true)).toBeNull();
    const later = [...files, { name: "0004_library.sql", text: "second" }];
    expect(findLibraryTarget(later, "second", () => true)).toBeNull();
    // Going back is a change as well: a database stands at the newest one.
    expect(findLibraryTarget(later, "first", () => true)).toBe("0005_library.sql");
  });

  it("leaves one that databases may have applied, and follows all others", () => {
    expect(findLibraryTarget(files, "second", () => true)).toBe("0004_library.sql");
    expect(findLibraryTarget([], "first", () => true)).toBe("0000_library.sql");
  });

  it("is written anew as long as no commit holds it", () => {
    const later = [...files, { name: "0004_library.sql", text: "second" }];
    expect(findLibraryTarget(later, "third", (name) => name !== "0004_library.sql")).toBe("0004_library.sql");
  });
});

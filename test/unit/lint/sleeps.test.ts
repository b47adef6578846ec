import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the matches of a pattern in all test files. */
function findInTests(pattern: RegExp): string[] {
  const places: string[] = [];
  for (const folder of ["e2e", "email", "hosting", "identity", "integration", "kit", "storage", "unit"]) {
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".test.ts") || path.endsWith("lint/sleeps.test.ts")) continue;
      const matches = readFileSync(join(root, folder, path), "utf8").match(pattern) ?? [];
      places.push(...matches.map((match) => `${folder}/${path}: ${match}`));
    }
  }
  return places;
}

/** Matches an `await` of a fixed time, in a page or by a timer whose callback only resolves a promise. */
const sleep =
  /waitForTimeout\(|await (page\.waitForFunction\(\(\) => )?new Promise(<void>)?\(\((\w+)\) => setTimeout\((\3|\(\) => \3\((true)?\)), [1-9]/g;

it("finds no test that waits for a fixed time instead of a condition (expect.poll, page.clock, settleMessages)", () => {
  expect(findInTests(sleep)).toEqual([]);
});

it("finds no test that counts the rows of a whole table instead of those of its own company", () => {
  expect(findInTests(/countRows\(\w+, undefined\)/g)).toEqual([]);
});

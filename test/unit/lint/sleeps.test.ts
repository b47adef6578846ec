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

/** `await` of a fixed time, in a page or by a timer whose callback only resolves. */
const sleep =
  /waitForTimeout\(|await (page\.waitForFunction\(\(\) => )?new Promise(<void>)?\(\((\w+)\) => setTimeout\((\3|\(\) => \3\((true)?\)), [1-9]/g;

it("tests wait for conditions (expect.poll, page.clock, settleMessages) instead of fixed times", () => {
  expect(findInTests(sleep)).toEqual([]);
});

it("tests count the rows of their own company, never a whole table", () => {
  expect(findInTests(/countRows\(\w+, undefined\)/g)).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** `await` of a fixed time: in a page, or of a timer whose callback does nothing but resolve. */
const sleep =
  /waitForTimeout\(|await (page\.waitForFunction\(\(\) => )?new Promise\(\((\w+)\) => setTimeout\((\2|\(\) => \2\(true\)), [1-9]/g;

/**
 * Sleeps that are left, by file. Each either shows that nothing happens within a time, where no condition can be waited for, or
 * stands for work that takes time. Lower a number when a sleep goes; wait for conditions (`expect.poll`) instead of adding one.
 */
const known: Record<string, number> = {
  "e2e/shell-frames.test.ts": 3,
  "e2e/shell-plain-http.test.ts": 2,
  "e2e/shell-sign-in.test.ts": 1,
  "e2e/shell-strangers.test.ts": 1,
  "e2e/shell-unreachable.test.ts": 2,
};

it("waits for conditions instead of fixed times", () => {
  const found: Record<string, number> = {};
  for (const folder of ["e2e", "email", "hosting", "identity", "integration", "kit", "storage", "unit"]) {
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".test.ts")) continue;
      const count = readFileSync(join(root, folder, path), "utf8").match(sleep)?.length ?? 0;
      if (count > 0) found[`${folder}/${path}`] = count;
    }
  }
  expect(found).toEqual(known);
});

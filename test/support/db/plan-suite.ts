import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import { registeredStatements } from "../../../workers/kit/db/statement";
import { explain, findScans, listPlans } from "./query-plan";

/**
 * Compares the plans of all statements of the imported Worker with `plans.txt` next to the test. Expects more than
 * `least` statements.
 */
export async function checkPlans({ least }: { least: number }): Promise<void> {
  const statements = registeredStatements();
  const plans = await explain(env.DB, statements);

  it("uses an index for every table in every registered statement", () => {
    expect(statements.length).toBeGreaterThan(least);
    expect(findScans(plans)).toEqual([]);
  });

  it("matches the recorded query plans", async () => {
    await expect(listPlans(plans)).toMatchFileSnapshot("./plans.txt");
  });
}

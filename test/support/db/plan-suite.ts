import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import { registeredStatements } from "../../../workers/kit/db/statement";
import { explain, findScans, listPlans } from "./query-plan";

/** Checks the plans of all statements of the imported Worker, of which there are `least`; `plans.txt` beside the test records them. */
export async function checkPlans({ least }: { least: number }): Promise<void> {
  const statements = registeredStatements();
  const plans = await explain(env.DB, statements);

  it("reaches every table by an index in every statement of the store", () => {
    expect(statements.length).toBeGreaterThan(least);
    expect(findScans(plans)).toEqual([]);
  });

  it("reads and writes by the recorded plans", async () => {
    await expect(listPlans(plans)).toMatchFileSnapshot("./plans.txt");
  });
}

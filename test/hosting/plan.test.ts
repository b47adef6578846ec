import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import "../../workers/hosting/worker";
import { registeredStatements } from "../../workers/kit/db/statement";
import { explain, findScans, listPlans } from "../support/db/query-plan";

const statements = registeredStatements();
const plans = await explain(env.DB, statements);

it("reaches every table by an index in every statement of the store", () => {
  expect(statements.length).toBeGreaterThan(15);
  expect(findScans(plans)).toEqual([]);
});

// A plan that is meant to be another is recorded anew: npx vitest run --project hosting test/hosting/plan.test.ts -u
it("reads and writes by the recorded plans", async () => {
  await expect(listPlans(plans)).toMatchFileSnapshot("./plans.txt");
});

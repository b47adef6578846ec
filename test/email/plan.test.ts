import { env } from "cloudflare:test";
import { expect, it } from "vitest";
import "../../workers/email/worker";
import { registeredStatements } from "../../workers/kit/db";
import { explainScans } from "../support/db/query-plan";

it("reaches every table by an index in every statement of the store", async () => {
  const statements = registeredStatements();
  expect(statements.length).toBeGreaterThan(30);
  expect(await explainScans(env.DB, statements)).toEqual([]);
});

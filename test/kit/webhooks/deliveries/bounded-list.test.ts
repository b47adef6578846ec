import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { action_deliveries } from "../../../../db/kit/webhooks";
import { rowsReadBy } from "../../../support/http/read-rows";
import { eventType, setUpWebhooks, storeAttempt, storeDelivery } from "../../../support/webhooks/api";
import { deleteRows, insertNumbered } from "../../../support/webhooks/rows";

type Page = { count?: number; results: { id: string }[]; next_cursor: string | null };

/** Maximum rows that a request may read in addition to the rows of its page and its credential. */
const ROWS = 5000;

it("reads at most 5,000 rows per page with any filter, and reaches rare rows by cursor", async () => {
  const { company, call, createRule, staff } = await setUpWebhooks();
  const [common, rare] = [await createRule(), await createRule({ event_type: "identity.user.updated" })];
  const run = Math.floor(Math.random() * 2 ** 40);
  const shared = { company_id: company.id, rule_id: common.id };
  const oldest = await storeDelivery({
    company_id: company.id,
    rule_id: rare.id,
    event_type: "identity.user.updated",
    status: "dead",
    created_at: 1,
  });
  await storeAttempt(oldest.seq, { scheduled_job_run_id: run, trigger: "automatic_retry" });
  const filled = 7000;
  await insertNumbered(action_deliveries, filled, (i) => ({
    id: sql`${`${common.id}-`} || ${i}`,
    kind: "webhook" as const,
    rule_name: "Bot",
    host: "h",
    body: "{}",
    ...shared,
    event_id: sql`${`${common.id}-`} || ${i}`,
    event_type: eventType,
    status: "delivered" as const,
    due_at: 1,
    created_at: sql`${i} / 7 + 10`,
    updated_at: 1,
  }));
  const page = async (query: string, token?: string) => {
    const { status, body } = await call("GET", `/deliveries?${query}`, undefined, token);
    expect(status, query).toBe(200);
    return body as unknown as Page;
  };
  for (const filter of ["status=dead", "event_type=identity.user.updated", `action_rule_id=${rare.id}`]) {
    const ids: string[] = [];
    let calls = 0;
    for (let next: string | null = ""; next !== null; calls++) {
      const query = next === "" ? filter : `${filter}&cursor=${next}`;
      let result: Page | undefined;
      const cost = await rowsReadBy(async () => {
        result = await page(query);
      });
      expect(cost, query).toBeLessThan(ROWS + 100);
      if (calls === 0) expect(result).toMatchObject({ count: 0, results: [], next_cursor: expect.any(String) });
      ids.push(...(result?.results ?? []).map(({ id }) => id));
      next = result?.next_cursor ?? null;
    }
    expect(ids, filter).toEqual([oldest.id]);
    expect(calls).toBe(4);
  }
  const first = await page("status=delivered&page_size=10");
  expect(first.count).toBe(2000);
  const nextPage = `status=delivered&page_size=10&cursor=${first.next_cursor}`;
  expect(await rowsReadBy(() => page(nextPage))).toBeLessThan(150);
  const last = await page("status=delivered&page_size=100&page=20");
  expect(last.results).toHaveLength(100);
  expect((await page(`status=delivered&cursor=${last.next_cursor}`)).results[0]?.id).toBe(`${common.id}-5000`);
  for (const query of ["status=delivered&page_size=100&page=21", "page_size=100&page=41", "status=dead&page=2"]) {
    expect(await call("GET", `/deliveries?${query}`), query).toMatchObject({
      status: 400,
      body: { error_code: "validation_failed", field_errors: { page: ["use_cursor"] } },
    });
  }
  const runPage = await page(`company_id=${company.id}&scheduled_job_run_id=${run}`, staff.token);
  expect(runPage).toMatchObject({ count: 1, results: [{ id: oldest.id }], next_cursor: null });
  await deleteRows(action_deliveries, eq(action_deliveries.company_id, company.id));
});

import { eq, getTableColumns, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { type InsertValues, insertSelect } from "../../../workers/kit/db/query";
import { createCompany, startEmail, testEnv } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { changeMessage, db, deleteRows } from "../../support/email/rows";
import { rowsReadBy } from "../../support/http/read-rows";

const email = await startEmail();

type Page = { messages: { id: string }[]; next_cursor: string | null };

/** Maximum rows that a request may read in addition to the rows of its page. */
const ROWS = 5000;

/**
 * Stores `count` sent copies of a message, three per millisecond. Each copy has its own address unless `email_hmac` is
 * set.
 */
async function duplicateMessage(id: string, count: number, email_hmac = sql`'x' || n.i`): Promise<void> {
  const numbers = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`;
  const mark = crypto.randomUUID().slice(0, 8);
  const changed = {
    id: sql`${mark} || printf('%024x', n.i)`,
    status: "sent",
    email_hmac,
    accepted_at: sql`1000 + n.i / 3`,
  };
  const row = { ...getTableColumns(messages), ...changed } as unknown as InsertValues<typeof messages>;
  await db.run(insertSelect(messages, row, sql`from ${messages} cross join ${numbers} where ${messages.id} = ${id}`));
}

async function setUp() {
  const company = createCompany();
  const owner = await email.token({ isOwner: true, companyId: company });
  const page = async (query: string) => {
    const response = await email.call(`/api/v1/messages?${query}`, { bearer: owner });
    expect(response.status, query).toBe(200);
    return response.json<Page>();
  };
  /** Returns the ids of all pages and checks that each page reads a bounded number of rows. */
  const walk = async (filter: string) => {
    const ids: string[] = [];
    let calls = 0;
    for (let next: string | null = ""; next !== null; calls++) {
      const query = next === "" ? filter : `${filter}&cursor=${next}`;
      let result: Page | undefined;
      const cost = await rowsReadBy(async () => {
        result = await page(query);
      });
      expect(cost, query).toBeLessThan(ROWS + 600);
      ids.push(...(result?.messages ?? []).map(({ id }) => id));
      next = result?.next_cursor ?? null;
    }
    return { ids, calls };
  };
  return { company, page, walk };
}

it("reads at most 5,000 rows per page for any filter, and its cursors reach rare messages", async () => {
  const { company, page, walk } = await setUp();
  const rare = await storeMessage(company, { status: "failed", accepted_at: 1, service: "rare" });
  await duplicateMessage(rare, 7000);
  await changeMessage(rare, { template_key: "rare" });
  const common = "service=rare&status=sent&limit=200";
  expect(await rowsReadBy(() => page(common))).toBeLessThan(1100);
  expect((await walk(common)).ids).toHaveLength(7000);
  // Few messages have these values, so an index finds them in one request.
  for (const [filter, expected] of [
    ["template_key=rare", 4],
    ["status=failed,sent&template_key=rare", 4],
    ["status=failed", 1],
    ["status=failed,bounced&lane=auth", 1],
  ] as const) {
    const { ids, calls } = await walk(filter);
    expect([ids, calls], filter).toEqual([[`msg_${rare}`], expected]);
  }
  expect(await rowsReadBy(() => page("status=failed"))).toBeLessThan(20);
  await deleteRows(messages, eq(messages.company_id, company));
});

it("reads only the page's rows for an address with many messages", async () => {
  const { company, page, walk } = await setUp();
  const keys = await keysOf(testEnv);
  const hash = await hashAddress(keys.peppers[0] ?? new Uint8Array(), "mina@example.com");
  const stored = await storeMessage(company, { email_hmac: hash, status: "sent" });
  await duplicateMessage(stored, 3000);
  await duplicateMessage(stored, 4000, sql`${hash}`);
  const filter = "email=mina@example.com";
  expect((await page(filter)).messages[0]?.id).toBe(`msg_${stored}`);
  expect(await rowsReadBy(() => page(`${filter}&limit=10`))).toBeLessThan(150);
  expect((await walk(`${filter}&limit=200`)).ids).toHaveLength(4001);
  const { ids, calls } = await walk(`${filter}&service=none`);
  expect([ids, calls]).toEqual([[], 7]);
  await deleteRows(messages, eq(messages.company_id, company));
});

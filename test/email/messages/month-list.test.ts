import { eq } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import type { MessageRow } from "../../../db/email/rows";
import { messages, troubledStatuses } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { MAX_SCANNED_ROWS } from "../../../workers/kit/db/bounded-scan";
import { DAY_MS } from "../../../workers/kit/time";
import { createCompany, startEmail, testEnv } from "../../support/email/email";
import { storeMonth } from "../../support/email/month";
import { changeMessage, deleteRows, readRows } from "../../support/email/rows";
import { rowsReadBy } from "../../support/http/read-rows";

const email = await startEmail();
const company = createCompany();
const owner = await email.token({ isOwner: true, companyId: company });
const peppers = (await keysOf(testEnv)).peppers;
const hash = await hashAddress(peppers[0] ?? new Uint8Array(), "mina@example.com");

// A month of 10,000 messages: three in the middle of the month have rare values, and one in a hundred is addressed to
// Mina.
await storeMonth(testEnv.DB, company, { from: 1, to: 10_000 });
const newestFirst = (rows: MessageRow[]) => rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
for (const [at, { id }] of newestFirst(await readRows(messages, eq(messages.company_id, company))).entries()) {
  if (at >= 5000 && at < 5003) await changeMessage(id, { request_id: "rare", service: "rare", status: "queued" });
  if (at % 100 === 0) await changeMessage(id, { email_hmac: hash });
}
const stored = newestFirst(await readRows(messages, eq(messages.company_id, company)));
afterAll(() => deleteRows(messages, eq(messages.company_id, company)));

type Page = { messages: { id: string }[]; next_cursor: string | null };

const LIMIT = 50;
const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - 10 * DAY_MS;
const day = new Date(noon).toISOString().slice(0, 10);

/** A filter, a predicate for the messages that match it, and one for the messages in the index that the query uses. */
type Case = [filter: string, fits: (row: MessageRow) => boolean, isInIndex?: (row: MessageRow) => boolean];

const templateKey = "hosting.app.created";
const cases: Case[] = [
  ["", () => true],
  ["lane=auth", ({ lane }) => lane === "auth"],
  ["service=identity", ({ service }) => service === "identity"],
  ["service=rare", ({ service }) => service === "rare"],
  ["request_id=rare", ({ request_id }) => request_id === "rare"],
  ["event_type=identity.user.invited", ({ event_type }) => event_type === "identity.user.invited"],
  [`template_key=${templateKey}`, ({ template_key }) => template_key === templateKey],
  ["status=delivered", ({ status }) => status === "delivered"],
  ["status=queued", ({ status }) => status === "queued"],
  ["status=bounced", ({ status }) => status === "bounced", ({ status }) => troubledStatuses.includes(status)],
  ["email=Mina@example.com", ({ email_hmac }) => email_hmac === hash, ({ email_hmac }) => email_hmac === hash],
  [`to=${day}`, () => true, ({ accepted_at }) => accepted_at < noon + DAY_MS],
  [`from=${day}`, () => true, ({ accepted_at }) => accepted_at >= noon],
];

it.each(cases)(
  "reads at most 2,000 index entries and one page of rows per request for the filter '%s'",
  async (...testCase) => {
    const [filter, fits, isInIndex = () => true] = testCase;
    const index = stored.filter(isInIndex);
    const matching = index.flatMap((row, at) => (fits(row) ? [at] : []));
    let page: Page | undefined;
    const read = await rowsReadBy(async () => {
      const response = await email.call(`/api/v1/messages?limit=${LIMIT}&${filter}`, { bearer: owner });
      page = await response.json<Page>();
    });
    const scannedRows = matching[LIMIT] === undefined ? MAX_SCANNED_ROWS : matching[LIMIT] + 1;
    const isFilled = scannedRows < MAX_SCANNED_ROWS;
    // The query keeps the keys that it finds until it reads the page, so each row of the page counts twice. When a walk
    // ends before the page is full, the query reads the index again to find where the scan ended.
    expect(read).toBeLessThanOrEqual((isFilled ? scannedRows : 2 * MAX_SCANNED_ROWS) + 2 * (LIMIT + 1) + 5);
    const expectedRows = matching.filter((at) => at < MAX_SCANNED_ROWS).slice(0, LIMIT);
    expect(page?.messages.map(({ id }) => id)).toEqual(expectedRows.map((at) => `msg_${index[at]?.id}`));
    expect(page?.next_cursor === null).toBe(false);
  },
);

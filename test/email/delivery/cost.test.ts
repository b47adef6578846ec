import { eq } from "drizzle-orm";
import { afterEach, expect, inject, it } from "vitest";
import { messages, stats_marks } from "../../../db/email/schema";
import { services } from "../../../workers/email/services";
import { clock } from "../../../workers/kit/clock";
import { meterDatabase } from "../../support/db/metered-database";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, createKey, magicLink, startEmail, testEnv } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const { relays } = inject("mailServers");

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const group = { template_key: "identity.group.created", variables: { display_name: "Sales" } };

/**
 * Returns the rows that accepting one message and sending it by SMTP write, by statement. Rows of its event are not
 * included.
 */
async function rowsOf(lane: "auth" | "transactional") {
  // A test with a later clock may have moved the roll-up mark. A message before the mark would also write roll-up rows.
  const [mark] = await readRows(stats_marks, undefined);
  const now = Math.max(systemNow(), mark?.counted_before ?? 0);
  clock.now = () => now;
  const company = createCompany();
  const vars = {
    EMAIL_PLATFORM_COMPANY_IDS: String(company),
    EMAIL_FALLBACK_PROVIDER: "smtp",
    EMAIL_HOST: "localhost",
    EMAIL_PORT: String(relays.plain),
    EMAIL_USE_TLS: "false",
  };
  const email = await startEmail({ vars });
  const { key } = await createKey();
  const send = (idempotency_key: string, bindings = {}) => {
    const json = magicLink(company, { ...(lane === "auth" ? {} : group), idempotency_key });
    return email.call("/api/v1/send", { bearer: key, json, bindings });
  };
  // The first send of a company also stores its name.
  expect((await send("first")).status).toBe(202);
  const metered = meterDatabase(testEnv.DB);
  const response = await send("second", { DB: metered.db });
  expect(response.status).toBe(202);
  const { messages: items } = (await response.json()) as { messages: { id: string }[] };
  const id = items[0]?.id.slice(4) ?? "";
  const bindings = { ...email.bindings, DB: metered.db };
  const request = { requestId: "r", log: silent, waitUntil: () => undefined };
  if (lane !== "auth") await deliverNow(services(bindings, request), [id], lane);
  const [row] = await readRows(messages, eq(messages.id, id));
  expect(row?.status).toBe("sent");
  const statements = metered.takeStatements().filter(({ statement }) => !/event_log|action_/.test(statement));
  return statements.flatMap(({ statement, written }) => (written === 0 ? [] : [[statement, written]]));
}

const silent = { info: () => {}, note: () => {}, warn: () => {}, error: () => {}, with: () => silent };

it.each(["auth", "transactional"] as const)(
  "writes seven rows for a %s message by SMTP until it is sent",
  async (lane) => {
    expect(await rowsOf(lane)).toEqual([
      // The rows are the message and its entries in four indexes: company, address, open messages and idempotency key.
      ["insert into messages", 5],
      // The claim and the result each update the message.
      ["update messages set", 1],
      ["update messages set", 1],
    ]);
  },
);

import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { MessageRow } from "../../../db/email/rows";
import { event_log, stats_marks, suppressions } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { DAY_MS } from "../../../workers/kit/time";
import { storeBroadcast } from "../../support/email/broadcasts";
import { createCompany, startEmail, testEnv } from "../../support/email/email";
import { readMessage, storeMessage, uniqueAddress } from "../../support/email/messages";
import { companySender, PLATFORM_SECRET, postProviderWebhook } from "../../support/email/provider-webhooks";
import { readRows, updateRows } from "../../support/email/rows";

const email = await startEmail({ vars: { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET } });

// Moves the roll-up mark back, so that the messages of these tests are not rolled up yet.
beforeEach(() => updateRows(stats_marks, { counted_before: Date.now() - DAY_MS }, eq(stats_marks.id, 1)));

const sent = (companyId: number, row: Partial<MessageRow> = {}) =>
  storeMessage(companyId, { status: "sent", rank: 10, sent_at: Date.now() - 3000, provider: "api", ...row });

const eventTypesOf = async (companyId: number) =>
  (await readRows(event_log, eq(event_log.company_id, companyId))).map(({ event_type }) => event_type).sort();

describe("an event of a broadcast", () => {
  const event = (type: string, ref: string, to: unknown, data: Record<string, unknown> = {}) => ({
    type: `email.${type}`,
    data: { broadcast_id: ref, to, ...data },
  });

  async function start(company = createCompany(), row: Partial<MessageRow> = {}) {
    const { peppers } = await keysOf(testEnv);
    const to = uniqueAddress();
    const email_hmac = await hashAddress(peppers.at(-1) ?? new Uint8Array(), to);
    const broadcast = await storeBroadcast(company, { started_at: Date.now() - 60_000 });
    const columns = { lane: "bulk", email_hmac, broadcast_id: broadcast.id } as const;
    return { company, to, broadcast, id: await sent(company, { ...columns, ...row }), email_hmac };
  }

  it.each([
    ["a text", (to: string) => to.toUpperCase()],
    ["a list", (to: string) => [to]],
  ])("changes the message of the recipient, whose address is %s", async (_title, form) => {
    const { company, to, broadcast, id, email_hmac } = await start();
    const other = await sent(company, { lane: "bulk", email_hmac });
    const response = await postProviderWebhook(email, event("complained", broadcast.ref, form(to)));
    expect(response.status).toBe(200);
    expect(email.acceptTripsOf(response)).toBe(2);
    expect(await readMessage(id)).toMatchObject({ status: "complained", rank: 50 });
    expect(await readMessage(other)).toMatchObject({ status: "sent" });
    expect(await eventTypesOf(company)).toEqual(["email.message.complained"]);
    expect(await readRows(suppressions, eq(suppressions.company_id, company))).toMatchObject([
      { email_hmac, reason: "complaint", lanes: ["transactional", "bulk"] },
    ]);
    await postProviderWebhook(email, event("delivered", broadcast.ref, form(to)));
    expect(await readMessage(id)).toMatchObject({ status: "complained", rank: 50 });
  });

  it("changes the message that a tag names, whatever broadcast it names", async () => {
    const { company, to, broadcast, id } = await start();
    const other = await sent(company, { lane: "bulk" });
    const tags = [{ name: "message_id", value: `msg_${other}` }];
    await postProviderWebhook(email, event("delivered", broadcast.ref, to, { tags }));
    expect(await readMessage(other)).toMatchObject({ status: "delivered" });
    expect(await readMessage(id)).toMatchObject({ status: "sent" });
  });

  it("of a company changes only its own messages, and of the platform only messages of the platform", async () => {
    const secret = "whsec_Y29tcGFueS1zZWNyZXQtb2YtdGVzdHM=";
    const company = await companySender(secret);
    const own = await start(company, { scope: "company" });
    const foreign = await start(createCompany(), { scope: "company" });
    const options = { secret, query: `?company_id=${company}` };
    for (const { to, broadcast } of [own, foreign]) {
      expect((await postProviderWebhook(email, event("delivered", broadcast.ref, to), options)).status).toBe(200);
      expect((await postProviderWebhook(email, event("bounced", broadcast.ref, to))).status).toBe(200);
    }
    expect(await readMessage(own.id)).toMatchObject({ status: "delivered" });
    expect(await readMessage(foreign.id)).toMatchObject({ status: "sent" });
  });

  it("changes nothing for an unknown broadcast, an unknown recipient or an unreadable address", async () => {
    const { to, broadcast, id } = await start();
    for (const [ref, address] of [
      ["bc_unknown", to],
      [broadcast.ref, "nobody@example.com"],
      [broadcast.ref, "no address"],
      [broadcast.ref, 5],
      [broadcast.ref, [[]]],
    ] as const) {
      expect((await postProviderWebhook(email, event("delivered", ref, address))).status).toBe(200);
    }
    expect(await readMessage(id)).toMatchObject({ status: "sent", events: [] });
  });
});

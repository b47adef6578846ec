import { describe, expect, inject, it } from "vitest";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { breakDb } from "../../support/db/broken-db";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, pausesOfCompany, startDelivery, withDb } from "../../support/email/delivery";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";
import { readRecord } from "../../support/email/provider-fixtures";
import { changeMessage } from "../../support/email/rows";

const { relays, raw, closed } = inject("mailServers");

/** Starts delivery through a platform relay on this loopback port. `companies` may send all mail through it. */
function startRelayed(port: number, { smtpTimeoutMs = 2000, companies = [] as number[] } = {}) {
  const relay = { host: "localhost", port, username: "", password: "", useTls: false, useSsl: false };
  const settings = { platformTransport: "smtp" as const, relay, smtpTimeoutMs };
  return startDelivery({ settings: { ...settings, platformCompanyIds: new Set(companies) } });
}

const connectionsOf = async (scenario: string) =>
  ((await readRecord<string[]>(`raw:${scenario}`)) ?? []).filter((line) => line === "<connected>").length;

/** Returns the header lines of each mail to this address, in the order in which the server received them. */
async function headsOf(scenario: string, to: string): Promise<string[][]> {
  const lines = (await readRecord<string[]>(`raw-content:${scenario}`)) ?? [];
  const mails: string[][] = [];
  for (const line of lines) {
    if (mails.length === 0 || mails.at(-1)?.length === 3) mails.push([]);
    mails.at(-1)?.push(line);
  }
  return mails.filter((mail) => mail.some((line) => line.startsWith("To:") && line.includes(to)));
}

describe("delivery over SMTP", () => {
  it("sends a group of messages, whose rows store no provider message id", async () => {
    const harness = startRelayed(relays.plain);
    const company = createCompany();
    const recipients = [1, 2, 3, 4].map((n) => `reader-${company}-${n}@example.test`);
    const ids = await Promise.all(recipients.map((to) => storeMessage(company, { to })));
    await deliverNow(harness.build(), ids, "auth");
    const mails = await Promise.all(recipients.map((to) => readRecord<{ to: string }>(`mail:${to}`)));
    expect(mails.map((mail) => mail?.to)).toEqual(recipients);
    for (const id of ids) {
      expect(await readMessage(id)).toMatchObject({
        status: "sent",
        provider: "smtp",
        provider_message_id: null,
        data_started: false,
        variables_enc: null,
      });
      expect(await attemptsOf(id)).toMatchObject([{ outcome: "accepted", detail: expect.stringMatching(/^250 ./) }]);
    }
  });

  it("sends 50 claimed messages over three connections, with RSET between mails", async () => {
    const company = createCompany();
    const harness = startRelayed(raw.wholeClaim, { companies: [company] });
    const ids = await Promise.all(Array.from({ length: 50 }, () => storeMessage(company, { lane: "transactional" })));
    await deliverNow(harness.build(), ids, "transactional");
    for (const id of ids) expect((await readMessage(id)).status).toBe("sent");
    const lines = (await readRecord<string[]>("raw:wholeClaim")) ?? [];
    const count = (command: string) => lines.filter((line) => line.startsWith(command)).length;
    expect(count("<connected>")).toBe(3);
    expect([count("MAIL"), count("RSET"), count("QUIT")]).toEqual([50, 47, 3]);
  });

  it("sends the recipient's name and no provider-specific headers to a real relay", async () => {
    const harness = startRelayed(relays.plain);
    const company = createCompany();
    const to = `reader-${company}@example.test`;
    const variables = { company_name: "Aster", magic_link_url: "https://auth.example.com/x", recipient_name: "Mina" };
    const id = await storeMessage(company, { to, variables });
    const services = harness.build();
    await deliverNow(services, [id], "auth");
    expect((await readMessage(id)).status).toBe("sent");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    const { content } = (await readRecord<{ content: string }>(`mail:${to}`)) ?? { content: "" };
    expect(content).toContain(`\r\nTo: "Mina" <${to}>\r\n`);
    expect(content).not.toMatch(/^X-(?:SES|PM)-/im);
    const other = await storeMessage(company, { to, variables: { ...variables, recipient_email: "leo@example.test" } });
    await deliverNow(harness.build(), [other], "auth");
    expect((await readRecord<{ content: string }>(`mail:${to}`))?.content).toContain(`\r\nTo: <${to}>\r\n`);
  });

  it.each([
    ["silentAfterContent", "auth", 2000],
    ["closeAfterContent", "transactional", 30_000],
    ["halfCloseAfterContent", "auth", 2000],
  ] as const)(
    "repeats a mail once when the relay gives no final response after DATA (%s, %s), and then fails it as unknown",
    async (scenario, lane, waitMs) => {
      const company = createCompany();
      const harness = startRelayed(raw[scenario], { smtpTimeoutMs: 500, companies: [company] });
      const to = `reader-${company}@example.test`;
      const id = await storeMessage(company, { to, lane, expires_at: harness.now() + 3_600_000 });
      await deliverNow(harness.build(), [id], lane);
      expect(await readMessage(id)).toMatchObject({
        status: "retrying",
        last_error_code: "delivery_unknown",
        data_started: false,
        next_attempt_at: harness.now() + waitMs,
      });
      harness.advance(waitMs);
      await deliverNow(harness.build(), [id], lane);
      expect(await readMessage(id)).toMatchObject({
        status: "failed",
        last_error_code: "delivery_unknown",
        variables_enc: null,
      });
      expect(harness.enqueued).toEqual([{ lane, ids: [id], delaySeconds: waitMs / 1000 }]);
      const heads = await headsOf(scenario, to);
      expect(heads).toHaveLength(2);
      expect(heads[0]).toEqual(heads[1]);
      expect(heads[0]).toEqual(expect.arrayContaining([expect.stringContaining(id), expect.stringMatching(/^Date: /)]));
    },
  );

  it("uses the same sender, not another one, to repeat a mail that may have arrived", async () => {
    const harness = startRelayed(raw.closeAfterContent);
    const to = `reader-${createCompany()}@example.test`;
    // The second attempt gets no response. From the third attempt on, sign-in mail would be sent through the mail API.
    const id = await storeMessage(createCompany(), { to, attempt_count: 1, expires_at: harness.now() + 3_600_000 });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", attempt_count: 2 });
    harness.advance(6000);
    await deliverNow(harness.build(), [id], "auth");
    expect((await attemptsOf(id)).map(({ provider }) => provider)).toEqual(["smtp", "smtp"]);
    expect(harness.calls).toEqual([]);
    expect(await headsOf("closeAfterContent", to)).toHaveLength(2);
  });

  it.each(["unreachable", "refused"])(
    "ends a mail that may have arrived as failed, not as expired, when its repeat is %s",
    async (repeat) => {
      const company = createCompany();
      const harness = startRelayed(raw.closeAfterContent);
      const id = await storeMessage(company, { expires_at: harness.now() + 120_000 });
      await deliverNow(harness.build(), [id], "auth");
      harness.advance(2000);
      const { settings } = harness.build();
      const relay = settings.relay && { ...settings.relay, port: repeat === "refused" ? raw.mail530 : closed };
      await deliverNow(harness.build({ settings: { ...settings, relay } }), [id], "auth");
      expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "delivery_unknown" });
      harness.advance(118_000);
      await sweepQueue(harness.build());
      expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "delivery_unknown" });
    },
  );

  it("never repeats bulk mail when the relay gives no final response after DATA, and fails it as unknown", async () => {
    const company = createCompany();
    const harness = startRelayed(raw.closeAfterContent, { companies: [company] });
    const id = await storeMessage(company, { lane: "bulk" });
    await deliverNow(harness.build(), [id], "bulk");
    expect(await readMessage(id)).toMatchObject({
      status: "failed",
      last_error_code: "delivery_unknown",
      variables_enc: null,
      data_started: false,
    });
    expect(harness.enqueued).toEqual([]);
  });

  it.each([
    ["closeAfterRcpt", raw.closeAfterRcpt],
    ["nothing listens", closed],
  ] as const)("retries a mail when the connection breaks before DATA (%s)", async (_title, port) => {
    const harness = startRelayed(port);
    const id = await storeMessage(createCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      last_error_code: "provider_unreachable",
      data_started: false,
    });
  });

  it("pauses the company's lane when the relay requires authentication", async () => {
    const harness = startRelayed(raw.mail530);
    const company = createCompany();
    const ids = [await storeMessage(company), await storeMessage(company)] as const;
    await deliverNow(harness.build(), ids, "auth");
    expect(await readMessage(ids[0])).toMatchObject({
      status: "retrying",
      attempt_count: 1,
      last_error_code: "provider_unauthorized",
    });
    expect(await readMessage(ids[1])).toMatchObject({ status: "retrying", attempt_count: 0, last_error_code: null });
    expect(await pausesOfCompany(company)).toMatchObject([{ lane: "auth", scope: "platform" }]);
  });

  it("repeats the same mail when its consumer is killed after the relay accepted it", async () => {
    const company = createCompany();
    const harness = startRelayed(raw.oneMailOnly);
    const to = `reader-${company}@example.test`;
    const id = await storeMessage(company, { to, expires_at: harness.now() + 3_600_000 });
    const services = harness.build();
    expect(await harness.consumeIds([id], "auth", withDb(services, breakDb(services.platformDb, "before", 2)))).toBe(
      "retried",
    );
    expect(await readMessage(id)).toMatchObject({ status: "sending", data_started: false });
    harness.advance(60_000);
    await sweepQueue(harness.build());
    await harness.consumeIds([id]);
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 2 });
    const heads = await headsOf("oneMailOnly", to);
    expect(heads).toHaveLength(2);
    expect(heads[0]).toEqual(heads[1]);
  });

  it("does not repeat bulk mail when its consumer is killed after the relay accepted it", async () => {
    const company = createCompany();
    const harness = startRelayed(raw.oneMailOnly, { companies: [company] });
    const id = await storeMessage(company, { lane: "bulk" });
    const services = harness.build();
    expect(await harness.consumeIds([id], "bulk", withDb(services, breakDb(services.platformDb, "before", 4)))).toBe(
      "retried",
    );
    expect(await readMessage(id)).toMatchObject({ status: "sending", data_started: true });
    const before = await connectionsOf("oneMailOnly");
    harness.advance(120_000);
    await sweepQueue(harness.build());
    await harness.consumeIds([id], "bulk");
    expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "delivery_unknown" });
    expect((await connectionsOf("oneMailOnly")) - before).toBe(0);
  });

  it("stores the results of bulk mail in parts, so that a killed consumer leaves few unknown outcomes", async () => {
    const company = createCompany();
    const harness = startRelayed(relays.plain, { companies: [company] });
    const ids = await Promise.all(Array.from({ length: 110 }, () => storeMessage(company, { lane: "bulk" })));
    const services = harness.build();
    // After the claim, four marks and the results of 100 messages, the eighth call would store the other results.
    const broken = breakDb(services.platformDb, "before", 8);
    expect(await harness.consumeIds(ids, "bulk", withDb(services, broken))).toBe("retried");
    const rows = await Promise.all(ids.map(readMessage));
    expect(rows.filter(({ status }) => status === "sent")).toHaveLength(100);
    expect(rows.filter(({ status, data_started }) => status === "sending" && data_started)).toHaveLength(10);
  });

  it("sends and stores nothing when bulk mail loses its lease before DATA", async () => {
    const company = createCompany();
    const harness = startRelayed(raw.oneMailOnly, { companies: [company] });
    const id = await storeMessage(company, { lane: "bulk" });
    const services = harness.build();
    const stealingDb = {
      ...services.platformDb,
      all: async (...args: Parameters<typeof services.platformDb.all>) => {
        await changeMessage(id, { lease_token: "thief" });
        return services.platformDb.all(...args);
      },
    } as typeof services.platformDb;
    await deliverNow(withDb(services, stealingDb), [id], "bulk");
    expect(await readMessage(id)).toMatchObject({ status: "sending", lease_token: "thief", data_started: false });
    expect(await attemptsOf(id)).toEqual([]);
    await changeMessage(id, { status: "cancelled" });
  });
});

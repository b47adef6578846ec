import { afterEach, describe, expect, inject, it } from "vitest";
import { deliverNow } from "../../../workers/email/delivery/delivery";
import { sweepQueue } from "../../../workers/email/queue/sweep";
import { clock } from "../../../workers/kit/clock";
import { breakDb } from "../../support/db/broken-db";
import { freshCompany, pausesOfCompany, startDelivery, withDb } from "../../support/email/delivery";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";
import { readRecord } from "../../support/email/provider-fixtures";
import { changeMessage } from "../../support/email/rows";

const { relays, raw, closed } = inject("mailServers");

const realNow = clock.now;
afterEach(() => {
  clock.now = realNow;
});

/** A delivery whose platform relay listens on this port of the loopback. */
function startRelayed(port: number, smtpTimeoutMs = 2000) {
  const relay = { host: "localhost", port, username: "", password: "", useTls: false, useSsl: false };
  return startDelivery({ settings: { fallbackProvider: "smtp", relay, smtpTimeoutMs } });
}

const connectionsOf = async (scenario: string) =>
  ((await readRecord<string[]>(`raw:${scenario}`)) ?? []).filter((line) => line === "<connected>").length;

describe("delivery over SMTP", () => {
  it("carries a group over one connection and stores the message ids", async () => {
    const harness = startRelayed(relays.plain);
    const company = freshCompany();
    const recipients = [1, 2, 3, 4].map((n) => `reader-${company}-${n}@example.test`);
    const ids = await Promise.all(recipients.map((to) => storeMessage(company, { to })));
    await deliverNow(harness.build(), ids, "auth");
    const mails = await Promise.all(recipients.map((to) => readRecord<{ connections: number }>(`mail:${to}`)));
    expect(new Set(mails.map((mail) => mail?.connections)).size).toBe(1);
    for (const id of ids) {
      expect(await readMessage(id)).toMatchObject({
        status: "sent",
        provider: "smtp",
        provider_message_id: `msg_${id}`,
        data_started: false,
        variables_enc: null,
      });
    }
  });

  it("reaches a real relay", async () => {
    const harness = startRelayed(relays.plain);
    const id = await storeMessage(freshCompany());
    const services = harness.build();
    await deliverNow(services, [id], "auth");
    expect((await readMessage(id)).status).toBe("sent");
    expect(services.db.stats.roundTrips).toBe(3);
  });

  it.each(["silentAfterContent", "closeAfterContent", "halfCloseAfterContent"] as const)(
    "without a final answer after DATA (%s) fails as unknown and is never sent again",
    async (scenario) => {
      const harness = startRelayed(raw[scenario], 500);
      const id = await storeMessage(freshCompany(), { expires_at: harness.now() + 3_600_000 });
      await deliverNow(harness.build(), [id], "auth");
      expect(await readMessage(id)).toMatchObject({
        status: "failed",
        last_error_code: "delivery_unknown",
        variables_enc: null,
        data_started: false,
      });
      expect(harness.rung).toEqual([]);
    },
  );

  it.each([
    ["closeAfterRcpt", raw.closeAfterRcpt],
    ["nothing listens", closed],
  ] as const)("that breaks before DATA (%s) is repeated", async (_title, port) => {
    const harness = startRelayed(port);
    const id = await storeMessage(freshCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      last_error_code: "provider_unreachable",
      data_started: false,
    });
  });

  it("that asks for authentication pauses the lane of the company", async () => {
    const harness = startRelayed(raw.mail530);
    const company = freshCompany();
    const ids = [await storeMessage(company), await storeMessage(company)] as const;
    await deliverNow(harness.build(), ids, "auth");
    expect(await readMessage(ids[0])).toMatchObject({ status: "failed", last_error_code: "provider_unauthorized" });
    expect(await readMessage(ids[1])).toMatchObject({ status: "retrying", attempt_count: 0 });
    expect(await pausesOfCompany(company)).toMatchObject([{ lane: "auth", scope: "platform" }]);
  });

  it("whose consumer is thrown away after the mail was taken is not repeated", async () => {
    const harness = startRelayed(raw.oneMailOnly);
    const id = await storeMessage(freshCompany(), { expires_at: harness.now() + 3_600_000 });
    const services = harness.build();
    expect(await harness.consumeIds([id], "auth", withDb(services, breakDb(services.db, "before", 3)))).toBe("retried");
    expect(await readMessage(id)).toMatchObject({ status: "sending", data_started: true });
    const before = await connectionsOf("oneMailOnly");
    harness.advance(60_000);
    await sweepQueue(harness.build());
    await harness.consumeIds([id]);
    expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "delivery_unknown" });
    expect((await connectionsOf("oneMailOnly")) - before).toBe(0);
  });

  it("that loses its lease before DATA sends nothing and stores nothing", async () => {
    const harness = startRelayed(raw.oneMailOnly);
    const id = await storeMessage(freshCompany());
    const services = harness.build();
    const stolen = {
      ...services.db,
      run: async (...args: Parameters<typeof services.db.run>) => {
        await changeMessage(id, { lease_token: "thief" });
        return services.db.run(...args);
      },
    } as typeof services.db;
    await deliverNow(withDb(services, stolen), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "sending", lease_token: "thief", data_started: false });
    expect(await attemptsOf(id)).toEqual([]);
    await changeMessage(id, { status: "cancelled" });
  });
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { action_deliveries, delivery_attempts, erasures, event_log } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { clock } from "../../../workers/kit/clock";
import { eventIdAt } from "../../support/db/event-ids";
import { createCompany } from "../../support/email/delivery";
import { startEmail, testEnv } from "../../support/email/email";
import { deliveriesOf, eventsOfCompany, storedEvents, storeRule } from "../../support/email/events";
import { db, deleteRows, readRows, updateRows } from "../../support/email/rows";
import { attempt, sendOne } from "../../support/email/webhooks";
import { createNetwork } from "../../support/net/network";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const hashOf = async (address: string) => hashAddress((await keysOf(testEnv)).peppers[0] ?? new Uint8Array(), address);

describe("an erasure with events", () => {
  it("cancels pending deliveries and masks the address in events and deliveries, except those of other addresses", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = createCompany();
    await storeRule(company, "email.message.sent");
    const hash = await hashOf("mina@example.com");
    const other = await hashOf("leo@example.com");
    await sendOne(company, { email_hmac: hash });
    await attempt(email, company);
    await sendOne(company, { email_hmac: hash });
    await sendOne(company, { email_hmac: other, to: "leo@example.com" });
    // The event of this message is deleted below.
    await sendOne(company, { email_hmac: hash });
    const purged = (await storedEvents(company)).at(-1)?.event_id ?? "";
    await deleteRows(event_log, eq(event_log.id, purged));
    const staff = await email.token({ isStaff: true });
    const json = { company_id: company, email: "Mina@example.com" };
    const response = await email.call("/api/v1/privacy/erase", { bearer: staff, json });
    expect(await response.json()).toMatchObject({ deleted_messages: 3, email_masked: "m***@example.com" });

    const addresses = (await eventsOfCompany(company)).map(({ data }) => data.to_email);
    expect(addresses).toEqual(["m***@example.com", "m***@example.com", "leo@example.com"]);
    const deliveries = await deliveriesOf(company);
    expect(deliveries.map(({ status, last_error_code }) => [status, last_error_code])).toEqual([
      ["delivered", null],
      ["dead", "erased"],
      ["pending", null],
      ["dead", "erased"],
    ]);
    expect(deliveries.map(({ subject_hmac }) => subject_hmac)).toEqual([null, null, other, null]);
    const owner = await email.token({ companyId: company, isOwner: true });
    const deliveredAddresses = await Promise.all(
      deliveries.map(async ({ id }) => {
        const detail = await email.call(`/api/v1/actions/deliveries/${id}`, { bearer: owner });
        return (await detail.json<{ envelope: { data?: { to_email: string } } }>()).envelope.data?.to_email;
      }),
    );
    expect(deliveredAddresses).toEqual(["m***@example.com", "m***@example.com", "leo@example.com", undefined]);
    expect(await readRows(erasures, eq(erasures.company_id, company))).toEqual([]);
    await attempt(email, company);
    const sent = network.received.map(({ body }) => JSON.parse(body).data.to_email);
    expect(sent).toEqual(["mina@example.com", "leo@example.com"]);
  });
});

it("masks the address in events with ids of an earlier release, and in their deliveries", async () => {
  createNetwork();
  const email = await startEmail();
  const company = createCompany();
  await storeRule(company, "email.message.sent");
  for (let i = 0; i < 2; i++) await sendOne(company, { email_hmac: await hashOf("mina@example.com") });
  const [event] = await storedEvents(company);
  const event_id = event?.id ?? "";
  await updateRows(event_log, { id: eventIdAt(clock.now() - 1000), event_id }, eq(event_log.id, event_id));
  const staff = await email.token({ isStaff: true });
  await email.call("/api/v1/privacy/erase", {
    bearer: staff,
    json: { company_id: company, email: "mina@example.com" },
  });
  expect((await eventsOfCompany(company)).map(({ data }) => data.to_email)).toEqual([
    "m***@example.com",
    "m***@example.com",
  ]);
  const owner = await email.token({ companyId: company, isOwner: true });
  const response = await email.call(`/api/v1/actions/event-log?event_id=${event_id}`, { bearer: owner });
  expect(await response.json()).toMatchObject({
    count: 1,
    results: [{ event_id, data: { to_email: "m***@example.com" } }],
  });
  for (const { id } of await deliveriesOf(company)) {
    const detail = await email.call(`/api/v1/actions/deliveries/${id}`, { bearer: owner });
    expect(await detail.json()).toMatchObject({ envelope: { data: { to_email: "m***@example.com" } } });
  }
});

it("deletes stored responses of receivers, which may repeat the address", async () => {
  createNetwork(({ body }) => new Response(body, { status: 500 }));
  const email = await startEmail();
  const company = createCompany();
  await storeRule(company, "email.message.sent");
  const hash = await hashOf("mina@example.com");
  // Creates a pending delivery, a finished one, and one whose event is deleted.
  for (let i = 0; i < 3; i++) await sendOne(company, { email_hmac: hash });
  await sendOne(company, { email_hmac: await hashOf("leo@example.com"), to: "leo@example.com" });
  await attempt(email, company);
  const before = await deliveriesOf(company);
  expect(before.map(({ last_error }) => last_error?.includes("to_email"))).toEqual([true, true, true, true]);
  await updateRows(action_deliveries, { status: "dead" }, eq(action_deliveries.seq, before[1]?.seq ?? 0));
  await deleteRows(event_log, eq(event_log.id, before[2]?.event_id ?? ""));
  const staff = await email.token({ isStaff: true });
  await email.call("/api/v1/privacy/erase", {
    bearer: staff,
    json: { company_id: company, email: "mina@example.com" },
  });
  const { last_error, seq, company_id } = action_deliveries;
  const { error_message, http_status, delivery_seq } = delivery_attempts;
  const results = await db
    .select({ last_error, error_message, http_status })
    .from(action_deliveries)
    .innerJoin(delivery_attempts, eq(delivery_seq, seq))
    .where(eq(company_id, company))
    .orderBy(seq);
  expect(results.slice(0, 3)).toEqual([
    { last_error: "the address was erased", error_message: "HTTP 500:", http_status: 500 },
    { last_error: "HTTP 500:", error_message: "HTTP 500:", http_status: 500 },
    { last_error: "the address was erased", error_message: "HTTP 500:", http_status: 500 },
  ]);
  expect(results[3]?.error_message).toContain("to_email");
});

it("does not allow another attempt of a delivery that an erasure emptied", async () => {
  const network = createNetwork();
  const email = await startEmail();
  const company = createCompany();
  const rule = await storeRule(company, "email.message.sent");
  await sendOne(company, { email_hmac: await hashOf("mina@example.com") });
  await sendOne(company, { email_hmac: await hashOf("leo@example.com"), to: "leo@example.com" });
  const dead = { status: "dead", last_error_code: "timeout" } as const;
  await updateRows(action_deliveries, dead, eq(action_deliveries.company_id, company));
  const [emptied, other] = await deliveriesOf(company);
  // The delivery's event is deleted, so the erasure has no event to copy the masked address from.
  await deleteRows(event_log, eq(event_log.id, emptied?.event_id ?? ""));
  const staff = await email.token({ isStaff: true });
  await email.call("/api/v1/privacy/erase", {
    bearer: staff,
    json: { company_id: company, email: "mina@example.com" },
  });
  const owner = await email.token({ companyId: company, isOwner: true });
  const post = async (path: string) => {
    const response = await email.call(`/api/v1/actions/${path}`, { bearer: owner, json: {} });
    return [response.status, await response.json<Record<string, unknown>>()];
  };
  const rejection = { error_code: "delivery_not_requeueable" };
  expect(await post(`deliveries/${emptied?.id}/requeue`)).toMatchObject([409, rejection]);
  expect(await post(`rules/${rule.id}/requeue`)).toEqual([200, { requeued: 1, complete: true }]);
  expect((await deliveriesOf(company)).map(({ id, status }) => [id, status])).toEqual([
    [emptied?.id, "dead"],
    [other?.id, "pending"],
  ]);
  expect(network.received).toEqual([]);
});

import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { lane_states } from "../../../db/email/schema";
import type { AddressExport } from "../../../schemas/email/audience/privacy";
import { openAudience } from "../../../workers/email/audience/recipients/seal";
import { startBroadcasts } from "../../support/email/broadcast-steps";
import { testKeys } from "../../support/email/delivery";
import { everyMember } from "../../support/email/draft-broadcasts";
import { startEmail } from "../../support/email/email";
import { hashOf } from "../../support/email/newsletter-rows";
import { deleteRows, pauseLane, suppressHash } from "../../support/email/rows";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

it("erases a person from waiting and sent broadcasts, and exports their names", async () => {
  const email = await startEmail();
  const broadcasts = await startBroadcasts({ users: 4 });
  const { companyId } = broadcasts;
  await suppressHash(companyId, await hashOf("user-2@aster.example"), { reason: "manual" });
  const sent = await broadcasts.store({ name: "Sent" });
  await broadcasts.finish(sent);
  await broadcasts.step(sent);
  const waiting = await broadcasts.store({ name: "Waiting" });
  // The audience is stored, and the lane is paused before messages are created.
  const services = broadcasts.build();
  const fetch = async (...input: Parameters<Fetcher["fetch"]>) => {
    await pauseLane("bulk", companyId);
    return services.identity.fetch.fetch(...input);
  };
  await broadcasts.step(
    waiting,
    broadcasts.build({ identity: { ...services.identity, fetch: { fetch } as unknown as Fetcher } }),
  );
  expect(await broadcasts.row(waiting)).toMatchObject({ state: "sending", pending: 4, messages: 0 });

  const owner = await email.token({ companyId, isOwner: true, userId: 1 });
  const staff = await email.token({ isStaff: true, userId: 9 });
  const exported = async (address: string) => {
    const response = await email.call("/api/v1/privacy/export", { bearer: owner, json: { email: address } });
    return (await response.json<AddressExport>()).broadcasts.map(({ name, status }) => [name, status]);
  };
  expect(await exported("user-1@aster.example")).toEqual([
    ["Waiting", "pending"],
    ["Sent", "message"],
  ]);
  expect(await exported("user-2@aster.example")).toEqual([
    ["Waiting", "pending"],
    ["Sent", "skipped_suppressed"],
  ]);
  for (const n of [1, 2]) {
    const json = { company_id: companyId, email: `user-${n}@aster.example` };
    expect((await email.call("/api/v1/privacy/erase", { bearer: staff, json })).status).toBe(200);
  }
  expect([await exported("user-1@aster.example"), await exported("user-2@aster.example")]).toEqual([[], []]);
  expect(await broadcasts.row(waiting)).toMatchObject({ pending: 2, removed: 2 });
  expect(await broadcasts.row(sent)).toMatchObject({ skipped_suppressed: 0, removed: 1, messages: 3 });
  await deleteRows(lane_states, eq(lane_states.company_id, companyId));
  const before = broadcasts.calls.length;
  expect(await broadcasts.finish(waiting)).toMatchObject({ state: "sent", messages: 2, removed: 2 });
  const to = broadcasts.calls.slice(before).map(({ mail }) => mail.to[0]);
  expect(to.sort()).toEqual(["user-3@aster.example", "user-4@aster.example"]);
  expect(await broadcasts.messagesOf(waiting)).toHaveLength(2);
});

it("counts a recipient once when an erasure follows a cancellation", async () => {
  const email = await startEmail();
  const broadcasts = await startBroadcasts({ users: 3, settings: { bulkRates: { company: 1, sender: 0 } } });
  const { companyId } = broadcasts;
  const id = await broadcasts.store();
  await pauseLane("bulk", companyId);
  await broadcasts.change(id, { state: "preparing", scope: "platform" });
  await broadcasts.step(id);
  expect(await broadcasts.row(id)).toMatchObject({ state: "sending", pending: 3 });
  await broadcasts.change(id, { state: "cancelled", removed: 3, pending: 0, next_step_at: broadcasts.now() });
  const staff = await email.token({ isStaff: true, userId: 9 });
  const json = { company_id: companyId, email: "user-1@aster.example" };
  expect((await email.call("/api/v1/privacy/erase", { bearer: staff, json })).status).toBe(200);
  expect(await broadcasts.recipientsOf(id)).toHaveLength(2);
  await broadcasts.step(id);
  expect(await broadcasts.row(id)).toMatchObject({ pending: 0, removed: 3 });
  expect(await broadcasts.recipientsOf(id)).toEqual([]);
});

const picked = (...emails: string[]) => ({ ...everyMember, mode: "pick" as const, emails });

it("removes an address from the picked addresses of drafts and waiting broadcasts, and exports their names", async () => {
  const email = await startEmail();
  const broadcasts = await startBroadcasts();
  const other = await startBroadcasts();
  const { companyId } = broadcasts;
  const addresses = ["Mina@example.com", "leo@example.com"];
  const draft = await broadcasts.store({ name: "Draft", state: "draft", audience: picked(...addresses) });
  const last = await broadcasts.store({ name: "Last", state: "scheduled", audience: picked("mina@example.com") });
  const unaffected = await broadcasts.store({ name: "Unaffected", audience: picked("leo@example.com") });
  const foreign = await other.store({ name: "Foreign", state: "draft", audience: picked(...addresses) });
  const keys = await testKeys();
  const emailsOf = async (id: number, of = broadcasts) => (await openAudience(await of.row(id), keys)).emails;
  const owner = await email.token({ companyId, isOwner: true, userId: 1 });
  const staff = await email.token({ isStaff: true, userId: 9 });
  const exported = async () => {
    const json = { email: "MINA@example.com" };
    const response = await email.call("/api/v1/privacy/export", { bearer: owner, json });
    return (await response.json<AddressExport>()).broadcasts;
  };
  expect(await exported()).toEqual([
    { id: last, name: "Last", status: "listed" },
    { id: draft, name: "Draft", status: "listed" },
  ]);
  const json = { company_id: companyId, email: "mina@EXAMPLE.com" };
  const before = await broadcasts.row(unaffected);
  for (let repeat = 0; repeat < 2; repeat++) {
    expect((await email.call("/api/v1/privacy/erase", { bearer: staff, json })).status).toBe(200);
    expect([await emailsOf(draft), await emailsOf(last)]).toEqual([["leo@example.com"], []]);
  }
  expect(await exported()).toEqual([]);
  expect((await broadcasts.row(last)).audience_emails_enc).toBeNull();
  expect(await broadcasts.row(unaffected)).toEqual(before);
  expect(await emailsOf(foreign, other)).toEqual(addresses);
});

it("removes an address that a running step has already read", async () => {
  const email = await startEmail();
  const broadcasts = await startBroadcasts({ users: 1 });
  const { companyId } = broadcasts;
  const audience = { ...picked("mina@example.com", "leo@example.com"), user_ids: [1] };
  const id = await broadcasts.store({ audience });
  const staff = await email.token({ isStaff: true, userId: 9 });
  const services = broadcasts.build();
  // The erasure comes between the reading of the row and the storing of a page.
  const fetch = async (...input: Parameters<Fetcher["fetch"]>) => {
    const json = { company_id: companyId, email: "mina@example.com" };
    expect((await email.call("/api/v1/privacy/erase", { bearer: staff, json })).status).toBe(200);
    return services.identity.fetch.fetch(...input);
  };
  const identity = { ...services.identity, fetch: { fetch } as unknown as Fetcher };
  await broadcasts.step(id, broadcasts.build({ identity }));
  expect(await broadcasts.finish(id)).toMatchObject({ state: "sent", messages: 2 });
  expect(broadcasts.calls.map(({ mail }) => mail.to[0]).sort()).toEqual(["leo@example.com", "user-1@aster.example"]);
});

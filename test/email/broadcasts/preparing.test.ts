import { afterEach, describe, expect, it } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../../workers/kit/time";
import { members, startBroadcasts } from "../../support/email/broadcast-steps";
import { everyMember } from "../../support/email/draft-broadcasts";
import { eventsOfCompany } from "../../support/email/events";
import { pauseLane } from "../../support/email/rows";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

/** Checks that a broadcast failed with a code and that nothing is left of it. */
async function expectFailed(broadcasts: Awaited<ReturnType<typeof startBroadcasts>>, id: number, code: string) {
  const row = await broadcasts.row(id);
  expect(row).toMatchObject({
    ...{ state: "failed", last_error_code: code, bearer_enc: null, bearer_expires_at: null, next_step_at: null },
    ...{ pending: 0, messages: 0, skipped_unsubscribed: 0, step_token: null, cursor: "" },
  });
  expect([await broadcasts.recipientsOf(id), await broadcasts.messagesOf(id), broadcasts.calls]).toEqual([[], [], []]);
  const events = await eventsOfCompany(broadcasts.companyId);
  expect(events).toMatchObject([{ type: "email.broadcast.failed", data: { broadcast_id: id, error_code: code } }]);
}

describe("preparing", () => {
  it("reads the audience page by page and relays the token of the caller", async () => {
    const broadcasts = await startBroadcasts({ users: 2100 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    const requests = broadcasts.identity.audienceRequests;
    expect(requests.map(({ bearer }) => bearer === broadcasts.bearer)).toEqual([true, true, true]);
    const row = await broadcasts.row(id);
    expect(row.pending + row.messages).toBe(2100);
    expect([row.state, row.bearer_enc]).toEqual(["sending", null]);
  });

  it("fails when the token ends before the audience is complete", async () => {
    const broadcasts = await startBroadcasts({ users: 2100 });
    const id = await broadcasts.store();
    const rpc = broadcasts.build();
    let pages = 0;
    const fetch = async (...input: Parameters<Fetcher["fetch"]>) => {
      pages += 1;
      if (pages === 2) broadcasts.advance(6 * MINUTE_MS);
      return rpc.identity.fetch.fetch(...input);
    };
    const identity = { ...rpc.identity, fetch: { fetch } as unknown as Fetcher };
    await broadcasts.step(id, broadcasts.build({ identity }));
    expect(pages).toBe(2);
    // The step ended when its time was over; the next one sees that the token has ended.
    await broadcasts.step(id);
    await expectFailed(broadcasts, id, "caller_session_expired");
  });

  it.each([
    ["caller_session_expired", "the token was revoked"],
    ["permission_ended", "the caller may not read the audience"],
    ["audience_invalid", "a filter became invalid"],
    ["identity_not_configured", "identity has no binding"],
    ["template_missing", "the version was deleted"],
    ["audience_too_large", "the audience has grown"],
  ])("fails with %s when %s", async (code) => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const services = broadcasts.build();
    const id = await broadcasts.store(code === "template_missing" ? { version_id: 2_000_000_000 } : {});
    if (code === "caller_session_expired") broadcasts.identity.revoke(broadcasts.bearer);
    if (code === "audience_invalid") broadcasts.identity.rejectFilter("group_ids");
    if (code === "identity_not_configured")
      services.identity = { ...services.identity, fetch: undefined as unknown as Fetcher };
    if (code === "audience_too_large") services.settings = { ...services.settings, broadcastMaxRecipients: 2 };
    if (code === "permission_ended") {
      const fetch = async () => Response.json({}, { status: 403 });
      services.identity = { ...services.identity, fetch: { fetch } as unknown as Fetcher };
    }
    await broadcasts.step(id, services);
    await expectFailed(broadcasts, id, code);
  });

  it("repeats a page that identity did not return, and fails after five", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    broadcasts.identity.setUnavailable(true);
    const waits: number[] = [];
    for (let page = 1; page < 5; page++) {
      await broadcasts.step(id);
      const { next_step_at: nextAt, failed_pages, step_token } = await broadcasts.row(id);
      expect([failed_pages, step_token]).toEqual([page, null]);
      waits.push(((nextAt ?? 0) - broadcasts.now()) / SECOND_MS);
      broadcasts.advance((nextAt ?? 0) - broadcasts.now());
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    expect(broadcasts.rung.map(({ delaySeconds }) => delaySeconds)).toEqual([5, 10, 20, 40]);
    await broadcasts.step(id);
    await expectFailed(broadcasts, id, "identity_unavailable");
  });

  it("continues after failed pages", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    broadcasts.identity.setUnavailable(true);
    await broadcasts.step(id);
    broadcasts.identity.setUnavailable(false);
    expect(await broadcasts.finish(id)).toMatchObject({ state: "sent", messages: 3, failed_pages: 0 });
  });

  it("erases the token of a paused broadcast at its end", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store({ state: "paused", paused_state: "preparing" });
    expect(await broadcasts.step(id)).toBe(false);
    broadcasts.advance(6 * MINUTE_MS);
    await broadcasts.step(id);
    await expectFailed(broadcasts, id, "caller_session_expired");
  });

  it("erases the token at its end while a paused lane holds the broadcast back", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    await pauseLane("bulk", broadcasts.companyId);
    const endsAt = broadcasts.now() + 5 * MINUTE_MS;
    for (let turn = 0; turn < 12; turn++) {
      await broadcasts.step(id);
      const { next_step_at: nextAt } = await broadcasts.row(id);
      if (nextAt === null) break;
      expect(nextAt).toBeLessThanOrEqual(endsAt);
      broadcasts.advance(nextAt - broadcasts.now());
    }
    await expectFailed(broadcasts, id, "caller_session_expired");
  });

  it("leaves out addresses to which no mail can be sent", async () => {
    const broadcasts = await startBroadcasts();
    const [one, two] = members(2);
    if (one === undefined || two === undefined) throw new Error("no members");
    broadcasts.identity.setAudience(broadcasts.companyId, [{ ...one, email: "no address" }, two]);
    const audience = { ...everyMember, roles: ["member" as const] };
    expect(await broadcasts.finish(await broadcasts.store({ audience }))).toMatchObject({ state: "sent", messages: 1 });
  });
});

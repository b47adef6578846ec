import { describe, expect, it } from "vitest";
import { storeDraftBroadcast } from "../../support/email/draft-broadcasts";
import { createCompany, startEmail } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { pauseLane } from "../../support/email/rows";
import { countsOf, type Entry, entryOf, type Overview } from "../../support/overview";

const email = await startEmail();
const HOUR_MS = 3_600_000;

type User = Parameters<typeof email.token>[0];

async function read<T>(user: User, path: string): Promise<T> {
  const response = await email.call(path, { bearer: await email.token(user) });
  expect(response.status, path).toBe(200);
  return response.json<T>();
}

const overviewOf = (user: User, query = "") => read<Overview>(user, `/api/v1/overview${query}`);

/** Returns the number of messages that the call of an entry lists. */
const listedBy = async (user: User, entry: Pick<Entry, "list">) =>
  (await read<{ messages: unknown[] }>(user, entry.list?.path ?? "")).messages.length;

describe("the overview of email", () => {
  it("counts waiting messages, and messages that failed or expired in the last 24 hours", async () => {
    const companyId = createCompany();
    const owner = { companyId, isOwner: true };
    const statuses = ["queued", "retrying", "sending", "sent", "failed", "expired", "bounced", "failed"] as const;
    await Promise.all(statuses.map((status) => storeMessage(companyId, { status })));
    await storeMessage(companyId, { status: "failed", accepted_at: Date.now() - 25 * HOUR_MS });
    await storeMessage(createCompany(), { status: "failed" });
    const overview = await overviewOf(owner);
    expect(countsOf(overview)).toEqual({ messages_waiting: 3, messages_failed: 3 });
    for (const code of ["messages_waiting", "messages_failed"]) {
      expect(await listedBy(owner, entryOf(overview, code)), code).toBe(3);
    }
    const all = await overviewOf({ companyId, isStaff: true }, "?all=true");
    for (const code of ["messages_waiting", "messages_failed"]) {
      const company = entryOf(all, code).companies?.find(({ company_id }) => company_id === companyId);
      expect(company, code).toMatchObject({ count: 3 });
      expect(await listedBy({ companyId, isStaff: true }, company ?? { list: null }), code).toBe(3);
    }
  });

  it("counts broadcasts that failed in the last 7 days", async () => {
    const companyId = createCompany();
    const owner = { companyId, isOwner: true };
    const now = Date.now();
    for (const state of ["failed", "failed", "sent", "cancelled"] as const)
      await storeDraftBroadcast(companyId, { state, updated_at: now });
    await storeDraftBroadcast(createCompany(), { state: "failed", updated_at: now });
    const overview = await overviewOf(owner);
    expect(countsOf(overview)).toEqual({ broadcasts_failed: 2 });
    await storeDraftBroadcast(companyId, { state: "failed", updated_at: now - 169 * HOUR_MS });
    const { broadcasts } = await read<{ broadcasts: unknown[] }>(
      owner,
      entryOf(overview, "broadcasts_failed").list?.path ?? "",
    );
    expect(broadcasts).toHaveLength(2);
    expect(countsOf(await overviewOf(owner))).toEqual({ broadcasts_failed: 2 });
    const all = await overviewOf({ companyId, isStaff: true }, "?all=true");
    expect(entryOf(all, "broadcasts_failed").companies).toContainEqual(
      expect.objectContaining({ company_id: companyId, count: 2 }),
    );
  });

  it("counts each paused lane once, whether it is paused for the company, for all companies, or both", async () => {
    const [paused, other] = [createCompany(), createCompany()];
    await pauseLane("bulk", paused, "company");
    await pauseLane("bulk", paused, "platform");
    const owner = { companyId: paused, isOwner: true };
    expect(countsOf(await overviewOf(owner))).toEqual({ lanes_paused: 1 });
    expect(countsOf(await overviewOf({ companyId: other, isOwner: true }))).toEqual({});
    await pauseLane("bulk", 0, "");
    await pauseLane("auth", 0, "");
    const overview = await overviewOf(owner);
    expect(countsOf(overview)).toEqual({ lanes_paused: 2 });
    const { lanes } = await read<{ lanes: { paused: boolean }[] }>(
      owner,
      entryOf(overview, "lanes_paused").list?.path ?? "",
    );
    expect(lanes.filter((lane) => lane.paused)).toHaveLength(2);
    const all = await overviewOf({ companyId: other, isStaff: true }, "?all=true");
    expect(entryOf(all, "lanes_paused")).toMatchObject({
      count: 3,
      companies: [{ company_id: paused, count: 1 }],
      list: { path: "/api/v1/lanes" },
    });
  });

  it("reads an overview in one round trip", async () => {
    const companyId = createCompany();
    const bearer = await email.token({ companyId, isStaff: true });
    for (const query of ["", "?all=true"]) {
      const response = await email.call(`/api/v1/overview${query}`, { bearer });
      expect([response.status, email.acceptTripsOf(response)]).toEqual([200, 1]);
    }
  });
});

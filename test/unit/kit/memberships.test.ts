import { describe, expect, it } from "vitest";
import { isActiveMember } from "../../../workers/kit/auth/memberships";
import { createLog } from "../../../workers/kit/log";

let lastCompany = 0;

/** Creates a company with a double of identity and its own clock. `requests` counts the requests to identity. */
function createCompany() {
  lastCompany += 1;
  const companyId = lastCompany;
  const state = { now: 1_000_000, active: new Set([1]), isUnavailable: false, requests: 0 };
  const options = {
    identity: {
      rpc: {
        memberships: async ({ user_ids }: { company_id: number; user_ids: readonly number[] }) => {
          state.requests += 1;
          if (state.isUnavailable) throw new Error("unavailable");
          return { active_user_ids: user_ids.filter((id) => state.active.has(id)) };
        },
      },
    },
    clock: { now: () => state.now },
    log: createLog({ service: "storage" }),
  };
  return { state, isActive: (userId = 1) => isActiveMember(options, { companyId, userId }) };
}

describe("cached memberships of an isolate", () => {
  it("are used for less than 60 s after the request", async () => {
    const { state, isActive } = createCompany();
    expect(await isActive()).toBe(true);
    state.active.clear();
    state.now += 59_999;
    expect(await isActive()).toBe(true);
    expect(state.requests).toBe(1);
    state.now += 1;
    expect(await isActive()).toBe(false);
  });

  it("are requested again when the clock has gone back", async () => {
    const { state, isActive } = createCompany();
    await isActive();
    state.active.clear();
    state.now -= 1;
    expect(await isActive()).toBe(false);
  });

  it("admit a member within 60 s after the member was added again", async () => {
    const { state, isActive } = createCompany();
    expect(await isActive(2)).toBe(false);
    state.active.add(2);
    state.now += 60_000;
    expect(await isActive(2)).toBe(true);
  });

  it("contain no failures, so that the next call sends a new request", async () => {
    const { state, isActive } = createCompany();
    state.isUnavailable = true;
    await expect(isActive()).rejects.toMatchObject({ code: "service_unavailable" });
    state.isUnavailable = false;
    expect(await isActive()).toBe(true);
    expect(state.requests).toBe(2);
  });

  it("are cleared at 10,000 entries", async () => {
    const { state, isActive } = createCompany();
    await isActive(1);
    for (let user = 2; user <= 10_001; user += 1) await isActive(user);
    expect(state.requests).toBe(10_001);
    await isActive(1);
    expect(state.requests).toBe(10_002);
  });
});

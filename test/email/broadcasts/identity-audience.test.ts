import { describe, expect, it } from "vitest";
import type { AudienceMember } from "../../../schemas/rpc";
import {
  type Audience,
  countAudience,
  needsIdentity,
  readAudiencePage,
  rejectAudience,
} from "../../../workers/email/audience/recipients/identity-audience";
import { services } from "../../../workers/email/services";
import type { Log } from "../../../workers/kit/log";
import { Problem } from "../../../workers/kit/problem";
import { everyMember } from "../../support/email/draft-broadcasts";
import { createCompany, startEmail } from "../../support/email/email";

const user = (id: number): AudienceMember => ({
  id,
  email: `user-${id}@aster.example`,
  first_name: "Mina",
  last_name: "Laurent",
  language: id % 2 === 0 ? "fr" : null,
});

/** Starts the service with a company of five users, and an owner with a token. `logged` has the log lines. */
async function start(bindings: Record<string, unknown> = {}) {
  const email = await startEmail();
  const companyId = createCompany();
  const users = [1, 2, 3, 4, 5].map(user);
  email.setAudience(companyId, users);
  const bearer = await email.token({ companyId, isOwner: true, userId: 1 });
  const logged: unknown[] = [];
  const add = (...line: unknown[]) => void logged.push(line);
  const log = { info: add, warn: add, error: add } as unknown as Log;
  const created = services({ ...email.bindings, ...bindings }, { requestId: "r-1", log, waitUntil: () => {} });
  return { email, companyId, users, bearer, logged, services: created };
}

const problemOf = (failure: Parameters<typeof rejectAudience>[0]) => {
  try {
    return rejectAudience(failure);
  } catch (error) {
    return error instanceof Problem ? [error.code, error.options.field_errors] : error;
  }
};

describe("the audience of identity", () => {
  it("is counted with one request, which relays the caller's token and the filters that are set", async () => {
    const { email, companyId, bearer, services } = await start();
    const audience = {
      ...everyMember,
      roles: ["owner", "member"] as Audience["roles"],
      joined_after: "2026-01-01T00:00:00Z",
    };
    expect(await countAudience(services, { companyId, audience }, bearer)).toEqual({ ok: true, count: 5 });
    const filter = {
      access: "enabled",
      roles: "owner,member",
      joined_after: "2026-01-01T00:00:00Z",
      count_only: "true",
    };
    expect(email.audienceRequests).toEqual([{ companyId, filter, bearer }]);
  });

  it("concerns identity for a filter, and for picked users", () => {
    const picked: Audience = { ...everyMember, mode: "pick", emails: ["a@b.example"] };
    const audiences = [
      everyMember,
      picked,
      { ...picked, user_ids: [1] },
      { ...everyMember, mode: "newsletter" as const, list_id: 3 },
    ];
    expect(audiences.map(needsIdentity)).toEqual([true, false, true, false]);
  });

  it("is read page by page, with a token or a grant", async () => {
    const { companyId, users, bearer, services, email } = await start();
    for (const permission of [{ bearer }, { grantedBy: 1 }]) {
      const read = (cursor: string) =>
        readAudiencePage(services, { companyId, audience: everyMember }, permission, { cursor, pageSize: 3 });
      const first = await read("");
      expect(first).toEqual({ ok: true, users: users.slice(0, 3), nextCursor: "3" });
      expect(await read("3")).toEqual({ ok: true, users: users.slice(3), nextCursor: null });
    }
    const picked: Audience = {
      ...everyMember,
      mode: "pick",
      roles: ["owner"],
      user_ids: [2, 4],
      emails: ["a@b.example"],
    };
    const page = await readAudiencePage(services, { companyId, audience: picked }, { bearer }, { cursor: "" });
    expect(page).toEqual({ ok: true, users: [users[1], users[3]], nextCursor: null });
    expect(email.audienceRequests.at(-1)?.filter).toEqual({ access: "enabled", user_ids: "2,4" });
  });

  it("fails with the reason of identity, and a request responds with its error code", async () => {
    const { email, companyId, bearer, services, logged } = await start();
    const input = { companyId, audience: everyMember };
    const read = (permission: Parameters<typeof readAudiencePage>[2]) =>
      readAudiencePage(services, input, permission, { cursor: "" });
    const member = await email.token({ companyId, userId: 9 });
    const refused = { ok: false, reason: "not_permitted" } as const;
    expect([await read({ bearer: member }), await read({ grantedBy: 77 })]).toEqual([refused, refused]);
    const revoked = await email.token({ companyId, isOwner: true, userId: 2 });
    email.revoke(revoked);
    const ended = { ok: false, reason: "token_ended" } as const;
    expect(await countAudience(services, input, revoked)).toEqual(ended);
    email.rejectFilter("group_ids");
    const invalid = { ok: false, reason: "invalid", field: "group_ids" } as const;
    expect([await read({ bearer }), await read({ grantedBy: 1 })]).toEqual([invalid, invalid]);
    email.rejectFilter(null);
    email.setIdentityAway(true);
    const away = { ok: false, reason: "unavailable" } as const;
    expect([await read({ bearer }), await read({ grantedBy: 1 })]).toEqual([away, away]);
    expect(await countAudience(services, input, bearer)).toEqual(away);
    expect([refused, ended, invalid, away, { ok: false, reason: "not_configured" } as const].map(problemOf)).toEqual([
      ["forbidden", undefined],
      ["forbidden", undefined],
      ["validation_failed", { "audience.group_ids": ["invalid"] }],
      ["identity_unavailable", undefined],
      ["identity_not_configured", undefined],
    ]);
    expect(logged).not.toEqual([]);
    expect(JSON.stringify(logged)).not.toContain(bearer.slice(-20));
  });

  it.each([
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } })],
    ["an endless response", () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) }))],
    ["a response that is no audience", () => Response.json({ results: [{ id: "x" }], next_cursor: null })],
    ["an error without a field", () => Response.json({}, { status: 400 })],
    ["a limit", () => Response.json({}, { status: 429 })],
  ])("is unavailable after %s", async (_description, respond) => {
    const calls: (RequestInit | undefined)[] = [];
    const IDENTITY = {
      fetch: async (_url: string, init?: RequestInit) => {
        calls.push(init);
        return respond();
      },
    };
    const { companyId, bearer, services } = await start({ IDENTITY });
    const page = await readAudiencePage(services, { companyId, audience: everyMember }, { bearer }, { cursor: "" });
    expect(page).toEqual({ ok: false, reason: "unavailable" });
    expect(calls).toMatchObject([{ redirect: "manual" }]);
  });

  it("needs the binding of identity, or its URL", async () => {
    const { companyId, bearer, services } = await start({ IDENTITY: undefined, IDENTITY_RPC: undefined });
    const input = { companyId, audience: everyMember };
    const missing = { ok: false, reason: "not_configured" };
    expect(await countAudience(services, input, bearer)).toEqual(missing);
    expect(await readAudiencePage(services, input, { bearer }, { cursor: "" })).toEqual(missing);
    expect(await readAudiencePage(services, input, { grantedBy: 1 }, { cursor: "" })).toEqual(missing);
    const requested: string[] = [];
    const fetch = (async (url: string) => {
      requested.push(url);
      return Response.json({ count: 3 });
    }) as unknown as typeof globalThis.fetch;
    const settings = {
      ...services.settings,
      identity: { ...services.settings.identity, serviceUrl: "https://id.example" },
    };
    expect(await countAudience({ ...services, settings, fetch }, input, bearer)).toEqual({ ok: true, count: 3 });
    expect(requested).toEqual([
      `https://id.example/api/v1/users/audience?access=enabled&company_id=${companyId}&count_only=true`,
    ]);
  });
});

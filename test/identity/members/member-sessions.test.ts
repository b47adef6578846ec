import { and, eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { event_log, sessions } from "../../../db/identity/schema";
import { type Actor, codeOf, createAdministration } from "../../support/identity/administration";
import { createCompany, signIn } from "../../support/identity/identity";
import { addMembership, usersPath } from "../../support/identity/members";
import { countRows, readRows } from "../../support/identity/rows";

const sidOf = (token: string) => String(decodeJwt(token).sid);
const sessionsPath = (id: number, sid?: string) => `${usersPath}/${id}/sessions${sid === undefined ? "" : `/${sid}`}`;
const works = async (actor: Pick<Actor, "call">) => (await actor.call("GET", "/api/v1/user")).status;

describe("sessions of a member", () => {
  it("are listed to an owner, newest first, without those of other companies", async () => {
    const { env, mailbox, company, owner, actor } = await createAdministration();
    const user = await actor();
    const second = await signIn(env, mailbox, company, user.email);
    const other = await createCompany();
    await addMembership(other.id, user.id);
    await signIn(env, mailbox, other, user.email);
    const { status, body } = await owner.call("GET", sessionsPath(user.id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      count: 2,
      page: 1,
      results: [
        { id: sidOf(second.access_token), provider: "magic_link", current: false },
        { id: sidOf(user.token), provider: "magic_link", current: false },
      ],
    });
    const ownerSessions = await owner.call("GET", sessionsPath(owner.id));
    expect(ownerSessions.body).toMatchObject({ count: 1, results: [{ id: sidOf(owner.token), current: true }] });
  });

  it("are ended one at a time and rejected immediately; repeating the request adds no second audit entry", async () => {
    const { env, mailbox, company, owner, actor } = await createAdministration();
    const user = await actor();
    const second = await signIn(env, mailbox, company, user.email);
    for (let time = 0; time < 2; time += 1) {
      expect((await owner.call("DELETE", sessionsPath(user.id, sidOf(user.token)))).status).toBe(204);
    }
    expect(await works(user)).toBe(401);
    const { body } = await owner.call("GET", sessionsPath(user.id));
    expect(body.results).toMatchObject([{ id: sidOf(second.access_token) }]);
    const entries = await readRows(
      event_log,
      and(eq(event_log.company_id, company.id), eq(event_log.event_type, "identity.member.sessions_ended")),
    );
    expect(entries.map(({ user_id, data }) => [user_id, JSON.parse(data)])).toEqual([
      [owner.id, expect.objectContaining({ member_id: user.id, session_id: sidOf(user.token) })],
    ]);
  });

  it("are ended together in this company only, and the member can sign in again", async () => {
    const { env, mailbox, company, owner, actor } = await createAdministration();
    const user = await actor();
    await signIn(env, mailbox, company, user.email);
    const other = await createCompany();
    await addMembership(other.id, user.id);
    const elsewhere = await signIn(env, mailbox, other, user.email);
    expect((await owner.call("DELETE", sessionsPath(user.id))).status).toBe(204);
    expect(await works(user)).toBe(401);
    const ended = and(eq(sessions.user_id, user.id), eq(sessions.revoke_reason, "ended_by_admin"));
    expect(await countRows(sessions, ended)).toBe(2);
    expect((await readRows(sessions, eq(sessions.id, sidOf(elsewhere.access_token))))[0]?.revoked_at).toBeNull();
    const again = await signIn(env, mailbox, company, user.email);
    expect((await owner.call("GET", sessionsPath(user.id))).body).toMatchObject({
      count: 1,
      results: [{ id: sidOf(again.access_token) }],
    });
  });

  it("are hidden from owners if the member is staff, and return 404 at the path of another member", async () => {
    const { owner, actor } = await createAdministration();
    const staff = await actor({ staff: true });
    for (const method of ["GET", "DELETE"]) {
      expect(codeOf(await owner.call(method, sessionsPath(staff.id)))).toEqual([403, "forbidden"]);
    }
    expect(codeOf(await owner.call("DELETE", sessionsPath(staff.id, sidOf(staff.token))))).toEqual([403, "forbidden"]);
    const [user, stranger] = [await actor(), await actor()];
    expect(codeOf(await owner.call("DELETE", sessionsPath(user.id, sidOf(stranger.token))))).toEqual([
      404,
      "not_found",
    ]);
    expect(await works(stranger)).toBe(200);
  });
});

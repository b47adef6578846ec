import { describe, expect, it } from "vitest";
import type { CompanyUserRow } from "../../../db/identity/conditions/company-user";
import type { CompanyRow } from "../../../db/identity/schema";
import type { InvitationOfAddress } from "../../../workers/identity/company/memberships/membership";
import { decideJoin } from "../../../workers/identity/sign-in/completion/join";
import { usernameCandidates } from "../../../workers/identity/users/profiles/username";

const company = (change: Partial<CompanyRow> = {}) =>
  ({ is_active: true, access_mode: "public", allowed_email_domains: ["aster.example"], ...change }) as CompanyRow;
const user = (change: Partial<CompanyUserRow> = {}) =>
  ({ is_active: true, is_staff: false, state: null, state_reason: null, ...change }) as CompanyUserRow;

const modes = ["public", "domain", "invite"] as const;
const inside = "mina@mail.aster.example";
const now = 1000;
const decide = (
  row: CompanyRow,
  companyUser: CompanyUserRow | null,
  email = inside,
  isProven = true,
  invitation: InvitationOfAddress | null = null,
) => {
  const decision = decideJoin({
    company: row,
    user: companyUser,
    invitation,
    email,
    isProven,
    isCompanyProvider: false,
    now,
  });
  if (decision.access === "allowed" && decision.invitation) return "invited";
  return decision.access === "allowed" ? "allowed" : `${decision.access} ${decision.store ?? "nothing"}`;
};

const invitation = (change: Partial<InvitationOfAddress> = {}): InvitationOfAddress => ({
  id: "i",
  status: "pending",
  group_ids: [],
  created_at: 500,
  expires_at: 2000,
  ...change,
});

describe("join rules, by their numbers in docs/specification/sign-in.md", () => {
  it.each(modes)("rule 1: reject even allowed members when company or user is inactive (%s)", (access_mode) => {
    const allowed = user({ state: "allowed" });
    expect(decide(company({ access_mode, is_active: false }), allowed)).toBe("denied nothing");
    expect(decide(company({ access_mode }), { ...allowed, is_active: false })).toBe("denied nothing");
  });

  it.each(modes)(
    "rules 2 and 3: admit allowed members, including staff, and reject other staff without storing anything (%s)",
    (access_mode) => {
      expect(decide(company({ access_mode }), user({ state: "allowed" }))).toBe("allowed");
      expect(decide(company({ access_mode }), user({ state: "allowed", is_staff: true }))).toBe("allowed");
      for (const state of [null, "pending", "denied"] as const)
        for (const state_reason of ["join_rule", "admin", "scim"] as const)
          expect(decide(company({ access_mode }), user({ state, state_reason, is_staff: true }))).toBe(
            "denied nothing",
          );
    },
  );

  it.each(modes)(
    "rules 3 and 4: reject an address whose invitation is revoked, and admit an invited address (%s)",
    (access_mode) => {
      const row = company({ access_mode });
      const blocked = (["pending", "denied"] as const).map((state) =>
        user({ state, state_reason: "admin", state_at: 400 }),
      );
      for (const companyUser of [null, user(), ...blocked]) {
        expect(decide(row, companyUser, inside, true, invitation({ status: "revoked" }))).toBe("denied nothing");
        expect(decide(row, companyUser, inside, true, invitation())).toBe("invited");
      }
      const allowed = user({ state: "allowed" });
      expect(decide(row, allowed, inside, true, invitation({ status: "revoked" }))).toBe("allowed");
      expect(decide(row, allowed, inside, true, invitation())).toBe("invited");
      const pending = user({ state: "pending", state_reason: "join_rule", state_at: 600 });
      expect(decide(row, pending, inside, true, invitation())).toBe("invited");
      expect(decide(row, user({ is_staff: true }), inside, true, invitation())).toBe("denied nothing");
      const denied = user({ state: "denied", state_reason: "admin", state_at: 400 });
      const refused: [CompanyUserRow, boolean, InvitationOfAddress][] = [
        [denied, false, invitation()],
        [denied, true, invitation({ expires_at: now })],
        [{ ...denied, state_at: 500 }, true, invitation()],
        [{ ...denied, state_reason: "scim" }, true, invitation()],
      ];
      for (const [companyUser, isProven, storedInvitation] of refused)
        expect(decide(row, companyUser, inside, isProven, storedInvitation)).toBe("denied nothing");
    },
  );

  it.each(modes)("rule 5: keep the decision of an administrator or SCIM (%s)", (access_mode) => {
    for (const state of ["pending", "denied"] as const)
      for (const state_reason of ["admin", "scim"] as const)
        expect(decide(company({ access_mode }), user({ state, state_reason }))).toBe(`${state} nothing`);
  });

  it("rules 6 to 9: apply the current access mode to new users, and to users whom the join rules rejected before", () => {
    for (const companyUser of [
      null,
      user(),
      ...(["pending", "denied"] as const).map((state) => user({ state, state_reason: "join_rule" })),
    ]) {
      expect(decide(company(), companyUser, "a@b.example", false)).toBe("allowed");
      expect(decide(company({ access_mode: "invite" }), companyUser)).toBe("pending pending");
      const domain = company({ access_mode: "domain" });
      expect(decide(domain, companyUser)).toBe("allowed");
      expect(decide(domain, companyUser, "a@aster.example")).toBe("allowed");
      for (const other of ["a@notaster.example", "a@aster.example.com", "a@example"])
        expect(decide(domain, companyUser, other)).toBe("denied denied");
      expect(decide(domain, companyUser, inside, false)).toBe("denied denied");
      expect(decide({ ...domain, allowed_email_domains: [] }, companyUser)).toBe("denied denied");
    }
  });
});

it.each([
  ["mina@example.com", "mina"],
  ["mina.b-c_d+tag@example.com", "mina.b-c_d"],
  ["zoë@example.com", "zoe"],
  ["+tag@example.com", "user"],
  ["漢字@example.com", "user"],
])("begins the user name of %s with %s, then adds a number, then random characters", (email, base) => {
  expect(usernameCandidates(email, "0123456789ab")).toEqual([base, `${base}2`, `${base}3`, "user_0123456789ab"]);
});

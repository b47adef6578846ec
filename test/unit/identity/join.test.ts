import { describe, expect, it } from "vitest";
import type { CompanyUserRow } from "../../../db/identity/company-user";
import type { CompanyRow } from "../../../db/identity/schema";
import { decideJoin } from "../../../workers/identity/sign-in/completion/join";
import { usernameCandidates } from "../../../workers/identity/users/profiles/username";

const company = (change: Partial<CompanyRow> = {}) =>
  ({ is_active: true, access_mode: "public", allowed_email_domains: ["aster.example"], ...change }) as CompanyRow;
const user = (change: Partial<CompanyUserRow> = {}) =>
  ({ is_active: true, is_staff: false, state: null, state_reason: null, ...change }) as CompanyUserRow;

const modes = ["public", "domain", "invite"] as const;
const inside = "mina@mail.aster.example";
const decide = (row: CompanyRow, companyUser: CompanyUserRow | null, email = inside, isDomainTrusted = true) => {
  const decision = decideJoin(row, companyUser, email, isDomainTrusted);
  return decision.access === "allowed" ? "allowed" : `${decision.access} ${decision.store ?? "nothing"}`;
};

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

  it.each(modes)("rule 4: keep the decision of an administrator or SCIM (%s)", (access_mode) => {
    for (const state of ["pending", "denied"] as const)
      for (const state_reason of ["admin", "scim"] as const)
        expect(decide(company({ access_mode }), user({ state, state_reason }))).toBe(`${state} nothing`);
  });

  it("rules 5 to 8: apply the current access mode to new users, and to users whom the join rules rejected before", () => {
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

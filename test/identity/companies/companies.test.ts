import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { companies as companyRows, memberships, oauth_redirects, users } from "../../../db/identity/schema";
import { slugCandidates } from "../../../workers/identity/company/administration/new-company";
import { codeOf, createActor, createAdministration } from "../../support/identity/administration";
import { callIdentity, createCompany, freshEmail, signIn } from "../../support/identity/identity";
import {
  changeCompany,
  changeMemberships,
  countRows,
  entriesOf,
  findUser,
  readRows,
} from "../../support/identity/rows";

const companies = "/api/v1/companies";
type Company = Record<string, unknown> & { id: number; slug: string; owners: number[] };
type Page = { count: number; results: Company[] };

const freshSlug = () => `s-${crypto.randomUUID().slice(0, 18)}`;
const changesOf = (company: number) => entriesOf(company, "identity.company.");

describe("reads of companies", () => {
  it("returns only their own company to members, with exactly the documented fields", async () => {
    const { owner, actor, company } = await createAdministration({ access_mode: "domain", domains: ["a.example"] });
    const member = await actor();
    const { status, body } = await member.call("GET", companies);
    expect([status, body]).toEqual([
      200,
      {
        count: 1,
        page: 1,
        page_size: 20,
        next_cursor: null,
        results: [
          {
            id: company.id,
            name: expect.stringContaining("Aster"),
            slug: expect.stringContaining("company-"),
            owners: [owner.id],
            access_mode: "domain",
            allowed_email_domains: ["a.example"],
            enable_magic_link: true,
            is_active: true,
            data_retention_days: 7,
            created_at: "1970-01-01T00:00:00.001Z",
          },
        ],
      },
    ]);
    expect((await member.call("GET", `${companies}/${company.id}`)).body).toEqual((body as Page).results[0]);
    expect((await member.call("GET", `${companies}?page=2`)).body).toMatchObject({ count: 1, results: [] });
    expect(codeOf(await member.call("GET", `${companies}?page=0`))).toEqual([400, "validation_failed"]);
  });

  it("hides other companies from all users except staff, who can read any company and list all with all=true", async () => {
    const { owner, actor, env } = await createAdministration();
    const other = await createCompany();
    const staff = await actor({ staff: true });
    expect(codeOf(await owner.call("GET", `${companies}/${other.id}`))).toEqual([404, "not_found"]);
    expect(codeOf(await owner.call("GET", `${companies}?company_id=${other.id}`))).toEqual([403, "company_mismatch"]);
    expect(codeOf(await owner.call("GET", `${companies}?all=true`))).toEqual([403, "forbidden"]);
    expect((await owner.call("GET", `${companies}?all=false`)).body).toMatchObject({ count: 1 });
    expect((await staff.call("GET", `${companies}/${other.id}`)).body).toMatchObject({ id: other.id, owners: [] });
    expect((await staff.call("GET", `${companies}?company_id=${other.id}`)).body).toMatchObject({
      count: 1,
      results: [{ id: other.id }],
    });
    const listAll = async () => (await staff.call("GET", `${companies}?all=true&page_size=2`)).body as Page;
    const before = await listAll();
    expect(before.results[0]?.id).toBe(other.id);
    const added = await createCompany();
    const all = await listAll();
    expect(all.count).toBe(before.count + 1);
    expect(all.results.map(({ id }) => id)).toEqual([added.id, other.id]);
    expect(codeOf(await staff.call("GET", `${companies}?all=1`))).toEqual([400, "validation_failed"]);
    for (const id of ["0", "x", "99999999"]) {
      expect(codeOf(await staff.call("GET", `${companies}/${id}`)), id).toEqual([404, "not_found"]);
    }
    expect((await callIdentity(env, companies)).status).toBe(401);
    expect((await callIdentity(env, `${companies}/x`)).status).toBe(401);
  });

  it("rejects the members of an inactive company", async () => {
    const { owner, company } = await createAdministration();
    await changeCompany(company.id, { is_active: false });
    expect(codeOf(await owner.call("GET", companies))).toEqual([403, "access_denied"]);
  });
});

it.each(["No\u200bva", "\u3164", "www.evil", "Nova (evil.example)"])(
  "rejects the company name %j from an owner",
  async (name) => {
    const { owner, company } = await createAdministration();
    for (const method of ["PATCH", "PUT"]) {
      expect(await owner.call(method, `${companies}/${company.id}`, { name })).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors: { name: ["invalid"] } },
      });
    }
  },
);

describe("creation of companies", () => {
  it("lets only staff create a company, with its owners, its redirect origins and the audit entry", async () => {
    const { owner, actor, env, mailbox } = await createAdministration();
    const staff = await actor({ staff: true });
    const [existingUser, unknown] = [await actor(), freshEmail()];
    const slug = freshSlug();
    const body = {
      name: " Nova Ltd ",
      slug,
      owner_emails: [existingUser.email.toUpperCase(), unknown, unknown],
      access_mode: "domain",
      allowed_email_domains: " @B.example, a.example.;b.example",
      redirect_origins: [`https://${slug}.example.com:443/path?x=1`, "http://localhost:3000"],
    };
    for (const caller of [owner, existingUser]) {
      expect(codeOf(await caller.call("POST", companies, body))).toEqual([403, "forbidden"]);
    }
    const { status, body: createByStaff } = await staff.call("POST", companies, body);
    expect([status, createByStaff]).toMatchObject([
      201,
      {
        name: "Nova Ltd",
        slug,
        access_mode: "domain",
        allowed_email_domains: ["a.example", "b.example"],
        enable_magic_link: true,
        is_active: true,
        data_retention_days: 7,
      },
    ]);
    const company = createByStaff as Company;
    const isMember = eq(memberships.company_id, company.id);
    const members = await readRows(memberships, isMember, asc(memberships.user_id));
    const testUsers = await Promise.all(members.map(({ user_id }) => findUser(user_id)));
    const states = members.map(({ state, state_reason, is_owner }) => [state, state_reason, is_owner]);
    expect(testUsers.map((user) => user?.email)).toEqual([existingUser.email, unknown]);
    expect(states).toEqual([
      ["allowed", "admin", true],
      ["allowed", "admin", true],
    ]);
    expect(testUsers[1]?.email_verified_at).toBeNull();
    expect(company.owners).toEqual(members.map(({ user_id }) => user_id));
    const isListed = eq(oauth_redirects.company_id, company.id);
    const origins = await readRows(oauth_redirects, isListed, asc(oauth_redirects.base_url));
    expect(origins.map(({ base_url }) => base_url)).toEqual(["http://localhost:3000", `https://${slug}.example.com`]);
    const created = await entriesOf(company.id, "identity.user.created");
    expect(created.map(({ user_id }) => user_id)).toEqual([testUsers[1]?.id]);
    expect(JSON.parse(created[0]?.data ?? "")).toMatchObject({ email: unknown, source: "admin" });
    const [entry] = await changesOf(company.id);
    expect(entry).toMatchObject({ event_type: "identity.company.created", user_id: staff.id });
    expect(JSON.parse(entry?.data ?? "").ip_hash).toMatch(/^[0-9a-f]{32}$/);
    const session = await signIn(env, mailbox, { id: company.id, origin: `https://${slug}.example.com` }, unknown);
    expect(session.provider).toBe("magic_link");
  });

  it("derives the slug from the name with a numeric suffix, and returns 409 for a slug that is taken", async () => {
    const { actor } = await createAdministration();
    const staff = await actor({ staff: true });
    const name = `Čéd & Co. ${crypto.randomUUID()}`;
    const slug = `ced-co-${name.slice(-36)}`;
    const createByStaff = async (body: unknown) => (await staff.call("POST", companies, body)).body;
    expect(await createByStaff({ name })).toMatchObject({
      slug,
      owners: [],
      access_mode: "public",
      allowed_email_domains: [],
    });
    expect(await createByStaff({ name })).toMatchObject({ slug: `${slug}-2` });
    expect(codeOf(await staff.call("POST", companies, { name, slug, owner_emails: [freshEmail()] }))).toEqual([
      409,
      "conflict",
    ]);
    const parallel = await Promise.all(Array.from({ length: 5 }, () => createByStaff({ name })));
    expect(new Set(parallel.map((company) => company.slug)).size).toBe(5);
    expect(slugCandidates("日本")[0]).toBe("company");
    expect(slugCandidates("x".repeat(255)).every((candidate) => /^[a-z0-9-]{1,60}$/.test(candidate))).toBe(true);
    expect(slugCandidates(`${"x".repeat(59)} y`)[0]).toBe("x".repeat(59));
  });

  it("stores no rows when the creation is rejected", async () => {
    const { actor } = await createAdministration();
    const staff = await actor({ staff: true });
    const unknown = freshEmail();
    const slug = freshSlug();
    const bad: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ owner_emails: [unknown, staff.email] }, { owner_emails: ["not_allowed"] }],
      [{ owner_emails: ["nobody"] }, { "owner_emails.0": ["invalid_format"] }],
      [{ owner_emails: Array.from({ length: 21 }, freshEmail) }, { owner_emails: ["too_many"] }],
      [{ name: "  " }, { name: ["blank"] }],
      [{ name: "x".repeat(256) }, { name: ["too_long"] }],
      [{ name: "a\u0000b" }, { name: ["invalid"] }],
      [{ name: "Nova\u202eavoN" }, { name: ["invalid"] }],
      [{ name: "\u2060\u200b" }, { name: ["invalid"] }],
      [{ name: "Nova: sign in at https://evil.example" }, { name: ["invalid"] }],
      [{ name: "evil.example" }, { name: ["invalid"] }],
      [{ name: "help@evil.example" }, { name: ["invalid"] }],
      [{ slug: "Nova" }, { slug: ["invalid_format"] }],
      [{ slug: "" }, { slug: ["blank"] }],
      [{ slug: "x".repeat(61) }, { slug: ["too_long"] }],
      [{ access_mode: "open" }, { access_mode: ["invalid"] }],
      [{ allowed_email_domains: ["a b.example"] }, { allowed_email_domains: ["invalid"] }],
      [{ allowed_email_domains: "a.example/x" }, { allowed_email_domains: ["invalid"] }],
      [{ allowed_email_domains: 1 }, { allowed_email_domains: ["invalid"] }],
      [
        { allowed_email_domains: Array.from({ length: 101 }, (_, index) => `d${index}.example`) },
        { allowed_email_domains: ["too_many"] },
      ],
      [{ redirect_origins: ["ftp://x.example"] }, { redirect_origins: ["invalid"] }],
      [{ redirect_origins: ["https://u:p@x.example"] }, { redirect_origins: ["invalid"] }],
      [{ redirect_origins: Array.from({ length: 21 }, () => "https://x.example") }, { redirect_origins: ["too_many"] }],
      [{ verified_email_domains: [] }, { verified_email_domains: ["not_allowed"] }],
    ];
    for (const [overrides, field_errors] of bad) {
      const response = await staff.call("POST", companies, {
        name: "Nova",
        slug,
        owner_emails: [unknown],
        ...overrides,
      });
      expect(response, JSON.stringify(overrides).slice(0, 80)).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors },
      });
    }
    expect(codeOf(await staff.call("POST", companies, {}))).toEqual([400, "validation_failed"]);
    expect(await countRows(companyRows, eq(companyRows.slug, slug))).toBe(0);
    expect(await countRows(users, eq(users.email, unknown))).toBe(0);
    const domains = Array.from({ length: 120 }, (_, index) => `d${index % 100}.example`);
    expect((await staff.call("POST", companies, { name: "Nova", allowed_email_domains: domains })).status).toBe(201);
  });
});

describe("changes of companies", () => {
  it.each(["PATCH", "PUT"])(
    "with %s changes only the fields in the body, and writes one audit entry",
    async (method) => {
      const { owner, company, member } = await createAdministration();
      const path = `${companies}/${company.id}`;
      const next = await member();
      const before = (await owner.call("GET", path)).body;
      const change = { name: "Nova", access_mode: "domain", allowed_email_domains: ["@Z.example", "a.example"] };
      const { status, body } = await owner.call(method, path, change);
      expect([status, body]).toEqual([
        200,
        { ...before, ...change, allowed_email_domains: ["a.example", "z.example"] },
      ]);
      expect((await owner.call(method, path, change)).body).toEqual(body);
      expect((await owner.call(method, path, {})).body).toEqual(body);
      expect((await owner.call(method, path, { owner_ids: [next.id, owner.id, next.id] })).body.owners).toEqual([
        owner.id,
        next.id,
      ]);
      const entries = await changesOf(company.id);
      expect(entries.map(({ event_type, user_id }) => [event_type, user_id])).toEqual([
        ["identity.company.updated", owner.id],
        ["identity.company.updated", owner.id],
      ]);
      expect(JSON.parse(entries[0]?.data ?? "")).toMatchObject({
        changed_fields: ["name", "access_mode", "allowed_email_domains"],
        ip_hash: expect.any(String),
      });
      expect(JSON.parse(entries[1]?.data ?? "")).toMatchObject({ changed_fields: ["owners"] });
      const ownershipEvents = await entriesOf(company.id, "identity.user.updated");
      expect(ownershipEvents.map(({ user_id, data }) => [user_id, JSON.parse(data).changed_fields])).toEqual([
        [next.id, ["is_company_owner"]],
      ]);
    },
  );

  it("replaces the owners with allowed members, and never leaves a company without an owner", async () => {
    const { owner, actor, company, member } = await createAdministration();
    const path = `${companies}/${company.id}`;
    const next = await actor();
    const pending = await member({ state: "pending" });
    const other = await createAdministration();
    expect(codeOf(await owner.call("PATCH", path, { name: "Lost", owner_ids: [] }))).toEqual([
      400,
      "company_owner_required",
    ]);
    for (const id of [pending.id, other.owner.id, 99_999_999]) {
      const response = await owner.call("PATCH", path, { name: "Lost", owner_ids: [next.id, id] });
      expect(response).toMatchObject({ status: 400, body: { field_errors: { owner_ids: ["invalid"] } } });
    }
    expect((await owner.call("GET", path)).body).toMatchObject({
      name: expect.stringContaining("Aster"),
      owners: [owner.id],
    });
    expect((await next.call("PATCH", path, { name: "X" })).status).toBe(403);
    expect((await owner.call("PATCH", path, { owner_ids: [next.id] })).body.owners).toEqual([next.id]);
    expect(codeOf(await owner.call("PATCH", path, { name: "X" }))).toEqual([403, "forbidden"]);
    expect((await next.call("PATCH", path, { name: "X" })).status).toBe(200);
  });

  it("reserves slug, activity and retention for staff", async () => {
    const { owner, actor, company } = await createAdministration();
    const path = `${companies}/${company.id}`;
    const staff = await actor({ staff: true });
    const slug = freshSlug();
    const values = { slug, is_active: false, data_retention_days: 365 };
    for (const [key, value] of Object.entries(values)) {
      expect(await owner.call("PATCH", path, { name: "Lost", [key]: value })).toMatchObject({
        status: 403,
        body: { error_code: "forbidden", field_errors: { [key]: ["staff_only"] } },
      });
    }
    expect((await staff.call("PUT", path, { slug, data_retention_days: 365 })).body).toMatchObject({
      slug,
      data_retention_days: 365,
    });
    const other = await createCompany();
    expect(codeOf(await staff.call("PATCH", `${companies}/${other.id}`, { name: "Lost", slug }))).toEqual([
      409,
      "conflict",
    ]);
    expect((await staff.call("GET", `${companies}/${other.id}`)).body.name).not.toBe("Lost");
    expect((await staff.call("PATCH", `${companies}/${other.id}`, { is_active: false })).body.is_active).toBe(false);
    const bad: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ data_retention_days: 0 }, { data_retention_days: ["out_of_range"] }],
      [{ data_retention_days: 366 }, { data_retention_days: ["out_of_range"] }],
      [{ data_retention_days: 1.5 }, { data_retention_days: ["invalid"] }],
      [{ is_active: 1 }, { is_active: ["invalid"] }],
      [{ verified_email_domains: ["a.example"] }, { verified_email_domains: ["not_allowed"] }],
      [{ owner_ids: ["1"] }, { "owner_ids.0": ["invalid"] }],
      [{ name: null }, { name: ["invalid"] }],
    ];
    for (const [body, field_errors] of bad) {
      expect(await staff.call("PATCH", path, body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { field_errors },
      });
    }
  });

  it("admits owners of that company by their stored role, not by the role in the token", async () => {
    const { owner, actor, company, env, mailbox } = await createAdministration();
    const path = `${companies}/${company.id}`;
    const stranger = await createActor(env, mailbox, await createCompany(), { owner: true });
    const plain = await actor();
    const second = await actor({ owner: true });
    expect(codeOf(await stranger.call("PATCH", path, { name: 1 }))).toEqual([404, "not_found"]);
    expect(codeOf(await plain.call("PATCH", path, { name: "X" }))).toEqual([403, "forbidden"]);
    await changeMemberships(second.id, { is_owner: false });
    expect(codeOf(await second.call("PATCH", path, { name: "X" }))).toEqual([403, "forbidden"]);
    expect((await owner.call("DELETE", path)).status).toBe(405);
    expect(codeOf(await owner.call("PATCH", path, { company_id: company.id + 1 }))).toEqual([403, "company_mismatch"]);
  });

  it("keeps one owner when owners are removed while the list of owners is replaced", async () => {
    const { owner, actor, company, member } = await createAdministration();
    const staff = await actor({ staff: true });
    const members = await Promise.all(Array.from({ length: 20 }, () => member()));
    await Promise.all(
      members.flatMap(({ id }) => [
        staff.call("PATCH", `${companies}/${company.id}`, { owner_ids: [id] }),
        staff.call("DELETE", `/api/v1/users/${id}`),
      ]),
    );
    const remainingOwners = (await owner.call("GET", `${companies}/${company.id}`)).body.owners;
    expect(remainingOwners).toHaveLength(1);
  });
});

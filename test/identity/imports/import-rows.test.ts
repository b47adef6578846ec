import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { group_members, groups, invitations, memberships, oauth_redirects } from "../../../db/identity/schema";
import { callIdentity, createUser, freshEmail, json, signIn } from "../../support/identity/identity";
import { createImport, person, type Row } from "../../support/identity/imports";
import { mailsTo } from "../../support/identity/invitations";
import {
  changeCompany,
  countRows,
  deleteRows,
  entriesOf,
  findUserByEmail,
  readRows,
  rowsOfCompany,
  storeGroup,
  storeIdentity,
  storeInvitation,
  updateRows,
} from "../../support/identity/rows";

const statesOf = async (company: number) =>
  (await rowsOfCompany(memberships, company)).map(({ state, state_reason }) => [state, state_reason]);

describe("a row", () => {
  it.each<[string, Row, Record<string, string[]>]>([
    ["without address", { email: undefined }, { email: ["required"] }],
    ["with a malformed address", { email: "noor at example.com" }, { email: ["invalid_format"] }],
    ["with an invisible character in a name", { first_name: "No\u200bor" }, { first_name: ["invalid"] }],
    ["with a bidirectional character in a name", { last_name: "\u202eHaddad" }, { last_name: ["invalid"] }],
    ["with a link in a name", { first_name: "www.evil.example" }, { first_name: ["invalid"] }],
    ["with a long name", { first_name: "n".repeat(151) }, { first_name: ["too_long"] }],
    ["with a text as a boolean", { email_verified: "true" }, { email_verified: ["invalid"] }],
    ["with another language", { language: "de" }, { language: ["invalid"] }],
    ["with an impossible date", { created_at: "2021-02-30T00:00:00Z" }, { created_at: ["invalid"] }],
    ["with a date in the future", { created_at: "2999-01-01T00:00:00Z" }, { created_at: ["out_of_range"] }],
    ["with 51 groups", { groups: Array(51).fill("x") }, { groups: ["too_many"] }],
    ["with an unknown group", { groups: ["Nowhere"] }, { "groups.0": ["unknown_group"] }],
    [
      "with an unknown provider",
      { provider_accounts: [{ provider: "facebook", subject: "1" }] },
      { "provider_accounts.0": ["unknown_provider"] },
    ],
    [
      "with a Microsoft account without issuer",
      { provider_accounts: [{ provider: "microsoft", subject: "1" }] },
      { "provider_accounts.0.issuer": ["required"] },
    ],
    [
      "with a Microsoft account of another issuer",
      { provider_accounts: [{ provider: "microsoft", subject: "1", issuer: "https://evil.example" }] },
      { "provider_accounts.0.issuer": ["invalid"] },
    ],
  ])("%s is rejected alone, with the field", async (_name, fields, errors) => {
    const { importRows } = await createImport();
    const [bad, good] = [person(fields), person()];
    expect(await importRows([bad, good])).toEqual([{ status: "rejected", errors }, { status: "created" }]);
    expect(await findUserByEmail(String(bad.email))).toBeUndefined();
  });

  it("that is not an object is rejected", async () => {
    const { importRows } = await createImport();
    const results = await importRows([null, "noor@example.com", [person()]] as never);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  it("with the address of an earlier row is rejected, in any case", async () => {
    const { importRows } = await createImport();
    const row = person();
    expect(await importRows([row, { email: row.email.toUpperCase() }])).toEqual([
      { status: "created" },
      { status: "rejected", errors: { email: ["duplicate"] } },
    ]);
  });

  it("of a staff account or an inactive account is rejected and changes nothing", async () => {
    const { company, importRows } = await createImport();
    const [staff, inactive] = [freshEmail(), freshEmail()];
    await createUser({ email: staff, staff: true });
    await createUser({ email: inactive, active: false });
    expect(await importRows([person({ email: staff }), person({ email: inactive })], { allow: true })).toEqual([
      { status: "rejected", errors: { email: ["staff_account"] } },
      { status: "rejected", errors: { email: ["inactive_account"] } },
    ]);
    expect(await findUserByEmail(staff)).toMatchObject({ first_name: "Mina" });
    expect(await rowsOfCompany(memberships, company.id)).toEqual([]);
  });

  it("with a group of the directory or of another company is rejected", async () => {
    const [{ company, importRows }, other] = [await createImport(), await createImport()];
    const [scim, foreign] = [await storeGroup(company), await storeGroup(other.company)];
    await updateRows(groups, { source: "scim" }, eq(groups.id, scim));
    const name = async (id: string) => (await readRows(groups, eq(groups.id, id)))[0]?.display_name;
    const rows = [person({ groups: [await name(scim)] }), person({ groups: [await name(foreign)] })];
    expect(await importRows(rows)).toEqual([
      { status: "rejected", errors: { "groups.0": ["group_read_only"] } },
      { status: "rejected", errors: { "groups.0": ["unknown_group"] } },
    ]);
    expect(await countRows(group_members, eq(group_members.group_id, scim))).toBe(0);
  });

  it("with a provider's account of another person is rejected", async () => {
    const { company, importRows } = await createImport();
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    await storeIdentity({ id, email }, { subject: `s-${id}` });
    const account = { provider: "google", subject: `s-${id}` };
    const fresh = { provider: "google", subject: `t-${id}` };
    const rows = [
      person({ provider_accounts: [account] }),
      person({ email, provider_accounts: [account] }),
      person({ provider_accounts: [fresh] }),
      person({ provider_accounts: [{ provider: "github", subject: "1" }, fresh] }),
    ];
    expect((await importRows(rows)).map(({ status, errors }) => errors ?? status)).toEqual([
      { "provider_accounts.0": ["already_linked"] },
      "updated",
      "created",
      { "provider_accounts.1": ["already_linked"] },
    ]);
  });
});

describe("access after an import", () => {
  it("is decided by the join rules at the next sign-in", async () => {
    const { env, mailbox, company, importRows } = await createImport({ access_mode: "invite" });
    const row = person();
    await importRows([row]);
    expect(await statesOf(company.id)).toEqual([["pending", "join_rule"]]);
    await expect(signIn(env, mailbox, company, row.email)).rejects.toThrow("access_pending");
  });

  it("is given with --allow, also to people who wait, but not against a decision of an administrator", async () => {
    const { env, mailbox, company, importRows } = await createImport({ access_mode: "invite" });
    const waiting = person();
    await importRows([waiting]);
    const [denied, suspended, revoked] = [freshEmail(), freshEmail(), freshEmail()];
    await createUser({ email: denied, company: company.id, state: "denied", reason: "admin" });
    await createUser({ email: suspended, company: company.id, state: "pending", reason: "scim" });
    await storeInvitation(company, { email: revoked, status: "revoked" });
    const row = person();
    const rows = [waiting, row, { email: denied }, { email: suspended }, { email: revoked }];
    const removed = { status: "unchanged", skipped: { access: ["access_removed"] } };
    expect(await importRows(rows, { allow: true })).toEqual([
      { status: "updated" },
      { status: "created" },
      removed,
      removed,
      { status: "created", skipped: { access: ["invitation_revoked"] } },
    ]);
    expect(await statesOf(company.id)).toEqual([
      ["allowed", "admin"],
      ["denied", "admin"],
      ["pending", "scim"],
      ["allowed", "admin"],
      ["pending", "join_rule"],
    ]);
    const enabled = await entriesOf(company.id, "identity.membership.enabled");
    expect(enabled.map(({ user_email }) => user_email)).toEqual([waiting.email]);
    expect(JSON.parse(enabled[0]?.data ?? "")).toMatchObject({ access_state: "allowed", source: "command" });
    expect(await signIn(env, mailbox, company, row.email)).toMatchObject({ provider: "magic_link" });
    expect(mailbox.sent.filter(({ template_key }) => template_key !== "identity.auth.magic_link.requested")).toEqual(
      [],
    );
  });
});

describe("an import with --invite", () => {
  it("invites people without access once, in their language, and accepts at their next sign-in", async () => {
    const { env, mailbox, company, importRows } = await createImport({ access_mode: "invite" });
    const member = freshEmail();
    await createUser({ email: member, company: company.id });
    const rows = [person(), person({ language: undefined, time_zone: undefined }), person({ email: member })];
    expect((await importRows(rows, { invite: true })).map(({ status }) => status)).toEqual([
      "created",
      "created",
      "updated",
    ]);
    const stored = await rowsOfCompany(invitations, company.id);
    const invited = (email: string) => stored.find((row) => row.email === email);
    expect(stored).toHaveLength(2);
    expect(invited(rows[0]?.email ?? "")).toMatchObject({
      status: "pending",
      language: "fr",
      invited_by: null,
      mail_state: "waiting",
      app_url: `${company.origin}/login`,
    });
    expect(invited(rows[1]?.email ?? "")).toMatchObject({ language: "en" });
    expect((await entriesOf(company.id, "identity.user.invited")).map(({ actor }) => actor)).toEqual([
      '{"kind":"system"}',
      '{"kind":"system"}',
    ]);
    expect(await importRows(rows, { invite: true })).toEqual(rows.map(() => ({ status: "unchanged" })));
    await signIn(env, mailbox, company, rows[0]?.email ?? "");
    expect(await readRows(invitations, eq(invitations.email, rows[0]?.email ?? ""))).toMatchObject([
      { status: "accepted" },
    ]);
    // The queue hands over the mails; nothing was sent in the request.
    expect(mailsTo(mailbox, rows[1]?.email ?? "", "identity.user.invited")).toEqual([]);
  });

  it("skips people whose access or invitation was revoked", async () => {
    const { company, importRows } = await createImport();
    const [denied, revoked] = [freshEmail(), freshEmail()];
    await createUser({ email: denied, company: company.id, state: "denied", reason: "admin" });
    await storeInvitation(company, { email: revoked, status: "revoked" });
    const results = await importRows([{ email: denied }, { email: revoked }], { invite: true });
    expect(results.map(({ skipped }) => skipped)).toEqual([
      { access: ["access_removed"] },
      { access: ["invitation_revoked"] },
    ]);
    expect((await rowsOfCompany(invitations, company.id)).map(({ status }) => status)).toEqual(["revoked"]);
  });

  it("obeys the limit of the company: nothing of the chunk is written, and the response names the wait", async () => {
    const { company, run, importRows } = await createImport({ vars: { AUTH_RATE_LIMIT_INVITATION: "3/h" } });
    await importRows([person(), person()], { invite: true });
    const lines = await run([person(), person()], { invite: true });
    expect(lines.at(-1)).toMatchObject({
      type: "error",
      line: expect.stringContaining("rate_limited"),
      retry_after: expect.any(Number),
    });
    expect(await countRows(memberships, eq(memberships.company_id, company.id))).toBe(2);
    const tooMany = await run([person(), person(), person(), person()], { invite: true });
    expect(tooMany.at(-1)).toMatchObject({ line: expect.stringContaining("AUTH_RATE_LIMIT_INVITATION") });
  });

  it("fails when the company has no redirect origin", async () => {
    const { company, run } = await createImport();
    await deleteRows(oauth_redirects, eq(oauth_redirects.company_id, company.id));
    const lines = await run([person()], { invite: true });
    expect(lines.at(-1)).toMatchObject({ type: "error", line: expect.stringContaining("redirect origin") });
    expect(await rowsOfCompany(memberships, company.id)).toEqual([]);
  });
});

describe("the request of a chunk", () => {
  it.each<[string, unknown, Row, Record<string, string[]>]>([
    ["no rows", undefined, {}, { rows: ["required"] }],
    ["an empty list", [], {}, { rows: ["required"] }],
    ["null", null, {}, { rows: ["invalid"] }],
    ["a list that is none", { 0: person() }, {}, { rows: ["invalid"] }],
    ["501 rows", Array(501).fill({}), {}, { rows: ["too_many"] }],
    ["--allow with --invite", [{}], { allow: true, invite: true }, { "flags.invite": ["not_allowed"] }],
    ["a flag of the command line", [{}], { file: "people.csv" }, { "flags.file": ["invalid"] }],
  ])("with %s is rejected", async (_name, rows, flags, field_errors) => {
    const { run } = await createImport();
    await expect(run(rows, flags)).rejects.toThrow(JSON.stringify(field_errors).slice(1, -1));
  });

  it("over 1 MiB is rejected before it is read", async () => {
    const { env, company } = await createImport();
    const body = { flags: { company: company.id }, rows: ["x".repeat(1_048_577)] };
    const response = await callIdentity(
      env,
      "/api/v1/management/import_people",
      json(body, { authorization: `Bearer opk_${"k".repeat(40)}` }),
    );
    expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
      413,
      "payload_too_large",
    ]);
  });

  it("for an unknown or inactive company fails", async () => {
    const { run, company } = await createImport();
    await changeCompany(company.id, { is_active: false });
    const message = async (flags: Row) => ((await run([person()], flags)).at(-1) as { line: string }).line;
    expect(await message({})).toContain(`company ${company.id} is not active`);
    expect(await message({ company: 999_999_999 })).toContain("there is no company 999999999");
  });
});

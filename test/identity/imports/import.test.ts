import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { event_log, group_members, groups, memberships, preferences, users } from "../../../db/identity/schema";
import { action_deliveries } from "../../../db/kit/webhooks";
import { meterDatabase } from "../../support/db/metered-database";
import { createActor } from "../../support/identity/administration";
import { createUser, freshEmail, signIn } from "../../support/identity/identity";
import { createImport, person } from "../../support/identity/imports";
import { createClient, google, openSignIn } from "../../support/identity/oauth";
import {
  countRows,
  entriesOf,
  findUserByEmail,
  identitiesOf,
  insertRow,
  readRows,
  rowsOfCompany,
  storeGroup,
  updateRows,
} from "../../support/identity/rows";
import { insertRule } from "../../support/webhooks/rows";

afterEach(() => vi.unstubAllGlobals());

const created = Date.parse("2021-03-04T05:06:07.000Z");
const subject = () => crypto.randomUUID();

describe("an import", () => {
  it("creates account, membership, preferences, groups, links and events from a row", async () => {
    const { company, importRows } = await createImport();
    const group = await storeGroup(company);
    const [{ display_name }] = (await readRows(groups, eq(groups.id, group))) as [typeof groups.$inferSelect];
    const sub = subject();
    const row = person({
      groups: [display_name.toUpperCase()],
      provider_accounts: [
        { provider: "google", subject: sub },
        {
          provider: "microsoft",
          subject: sub,
          issuer: "https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0",
        },
      ],
    });
    const now = Date.now();
    expect(await importRows([row])).toEqual([{ status: "created" }]);
    const user = await findUserByEmail(row.email);
    const id = user?.id ?? 0;
    expect(user).toMatchObject({ first_name: "Noor", last_name: "Haddad", created_at: created, is_staff: false });
    expect(user?.email_verified_at).toBeGreaterThanOrEqual(now);
    expect(await rowsOfCompany(memberships, company.id)).toMatchObject([
      {
        user_id: id,
        state: "pending",
        state_reason: "join_rule",
        created_at: created,
        group_names: [display_name],
        is_owner: false,
      },
    ]);
    expect(await readRows(preferences, eq(preferences.user_id, id))).toMatchObject([
      { language: "fr", region: "Europe/Paris", theme_name: "default" },
    ]);
    expect(await readRows(groups, eq(groups.id, group))).toMatchObject([{ user_count: 1 }]);
    expect(await identitiesOf(id)).toMatchObject([
      { provider: "google", issuer: "https://accounts.google.com", subject: sub, company_id: 0, email_proven: true },
      { provider: "microsoft", subject: sub, company_id: 0 },
    ]);
    const events = await entriesOf(company.id);
    expect(events.map(({ event_type, actor, user_email }) => [event_type, actor, user_email])).toEqual([
      ["identity.user.created", '{"kind":"system"}', row.email],
      ["identity.group.membership_changed", '{"kind":"system"}', null],
      ["identity.people.imported", '{"kind":"system"}', null],
    ]);
    expect(events.map(({ data }) => JSON.parse(data))).toEqual([
      {
        user_id: id,
        email: row.email,
        username: row.email.split("@")[0],
        source: "command",
        language: "fr",
        region: "Europe/Paris",
      },
      { change: "members_added", display_name, group_id: group, source: "admin", user_ids: [id] },
      { created: 1, updated: 0, invited: 0 },
    ]);
  });

  it("writes nothing when it is repeated, and nothing with --dry-run", async () => {
    const { env, company, ...test } = await createImport();
    const group = await storeGroup(company);
    const names = (await readRows(groups, eq(groups.id, group))).map(({ display_name }) => display_name);
    const rows = Array.from({ length: 30 }, (_, at) =>
      person({
        email: `same.name@${subject()}.example`,
        email_verified: at % 2 === 0,
        groups: names,
        provider_accounts: [{ provider: "github", subject: subject() }],
      }),
    );
    const dryRun = await test.importRows(rows, { dry_run: true });
    expect(await countRows(memberships, eq(memberships.company_id, company.id))).toBe(0);
    expect(dryRun).toEqual(rows.map(() => ({ status: "created" })));
    expect(await test.importRows(rows)).toEqual(dryRun);
    const before = (await rowsOfCompany(event_log, company.id)).length;
    const metered = meterDatabase(env.DB);
    env.DB = metered.db;
    expect(await test.importRows(rows)).toEqual(rows.map(() => ({ status: "unchanged" })));
    expect(metered.takeStatements().filter(({ written }) => written > 0)).toEqual([]);
    expect((await rowsOfCompany(event_log, company.id)).length).toBe(before);
    const usernames = await Promise.all(rows.map(async ({ email }) => (await findUserByEmail(email))?.username));
    expect(new Set(usernames).size).toBe(30);
  });

  it("of the same rows in parallel creates each person once, with one event", async () => {
    const { company, importRows } = await createImport();
    const rows = Array.from({ length: 20 }, () =>
      person({ provider_accounts: [{ provider: "google", subject: subject() }] }),
    );
    await Promise.all(Array.from({ length: 5 }, () => importRows(rows)));
    expect(await countRows(memberships, eq(memberships.company_id, company.id))).toBe(20);
    const events = await entriesOf(company.id, "identity.user.created");
    expect(new Set(events.map(({ user_email }) => user_email))).toEqual(new Set(rows.map(({ email }) => email)));
    expect(events).toHaveLength(20);
  });

  it("handles 500 rows in two round trips with at most 25 statements", async () => {
    const { env, importRows } = await createImport();
    const calls: number[] = [];
    const metered = meterDatabase(env.DB, async (call) => calls.push(call));
    env.DB = metered.db;
    const rows = Array.from({ length: 500 }, () => person());
    expect(new Set((await importRows(rows)).map(({ status }) => status))).toEqual(new Set(["created"]));
    expect(calls).toEqual([1, 2]);
    expect(metered.takeStatements().length).toBeLessThanOrEqual(25);
  });

  it("stores a chunk whose people have the most groups and accounts", async () => {
    const { company, importRows } = await createImport();
    const ids = await Promise.all(Array.from({ length: 50 }, () => storeGroup(company)));
    await Promise.all(
      ids.map((id, at) => updateRows(groups, { display_name: `g${at}`, name_key: `g${at}` }, eq(groups.id, id))),
    );
    const local = "x".repeat(50);
    const rows = Array.from({ length: 500 }, (_, at) => ({
      email: `${local}${at}@${"d".repeat(60)}.${"e".repeat(60)}.${subject()}.example`,
      groups: ids.map((_id, group) => `G${group}`),
      provider_accounts: Array.from({ length: 10 }, (_account, number) => ({
        provider: "github",
        subject: `${company.id}-${at}-${number}`,
      })),
    }));
    expect(new Set((await importRows(rows)).map(({ status }) => status))).toEqual(new Set(["created"]));
    const counts = (await rowsOfCompany(groups, company.id)).map(({ user_count }) => user_count);
    expect(counts).toEqual(Array(50).fill(500));
    const last = await findUserByEmail(rows[499]?.email ?? "");
    expect(await identitiesOf(last?.id ?? 0)).toHaveLength(10);
  });

  it("lets a public company's people in at their next sign-in, by link or by the linked provider account", async () => {
    const { signInAs, company, bindings } = await openSignIn("google");
    const { importRows, mailbox } = await createImport({ to: company });
    const account = google(freshEmail());
    const byLink = person();
    // The address at the provider may have changed since, so only the linked account finds the person.
    const byProvider = person({ provider_accounts: [{ provider: "google", subject: account.sub }] });
    await importRows([byLink, byProvider]);
    const { claims } = await signInAs(account);
    expect(claims).toMatchObject({
      email: byProvider.email,
      user_metadata: { name: "Noor Haddad", platformPreferences: { language: "fr", region: "Europe/Paris" } },
    });
    expect(await signIn({ ...bindings, EMAIL: mailbox as never }, mailbox, company, byLink.email)).toMatchObject({
      provider: "magic_link",
    });
    const states = (await rowsOfCompany(memberships, company.id)).map(({ state }) => state);
    expect(states).toEqual(["allowed", "allowed"]);
  });

  it("keeps an unverified address unverified, and its link only until the first proof", async () => {
    const { company, bindings } = await openSignIn("github");
    const { importRows, mailbox } = await createImport({ to: company });
    const row = person({ email_verified: false, provider_accounts: [{ provider: "github", subject: subject() }] });
    await importRows([row]);
    const user = await findUserByEmail(row.email);
    expect(user).toMatchObject({ email_verified_at: null });
    expect(await identitiesOf(user?.id ?? 0)).toMatchObject([{ email_proven: false }]);
    await signIn({ ...bindings, EMAIL: mailbox as never }, mailbox, company, row.email);
    expect(await identitiesOf(user?.id ?? 0)).toEqual([]);
  });

  it("links accounts of the company's own OpenID provider by its id or issuer, for this company only", async () => {
    const { company, importRows } = await createImport();
    await createClient(company.id, "oidc");
    const rows = [
      person({ provider_accounts: [{ provider: "oidc-acme", subject: "1" }] }),
      person({ provider_accounts: [{ provider: "oidc", issuer: "https://id.acme.example", subject: "2" }] }),
      person({ provider_accounts: [{ provider: "oidc", issuer: "https://id.other.example", subject: "3" }] }),
    ];
    expect((await importRows(rows)).map(({ status, errors }) => errors ?? status)).toEqual([
      "created",
      "created",
      { "provider_accounts.0": ["unknown_provider"] },
    ]);
    const linked = await identitiesOf((await findUserByEmail(rows[1]?.email ?? ""))?.id ?? 0);
    const companyIdentity = { provider: "oidc", issuer: "https://id.acme.example", company_id: company.id };
    expect(linked).toMatchObject([{ ...companyIdentity, subject: "2" }]);
  });

  it("sends its events to webhooks, but not to the email service", async () => {
    const { company, importRows } = await createImport();
    await insertRule({
      company_id: company.id,
      name: "Bot",
      event_type: "identity.user.created",
      secret_enc: "x",
      url: "https://93.184.216.34/x",
      host: "93.184.216.34",
    });
    await importRows([person(), person()]);
    const deliveries = await readRows(action_deliveries, eq(action_deliveries.company_id, company.id));
    expect(deliveries.map(({ kind, event_type }) => [kind, event_type])).toEqual([
      ["webhook", "identity.user.created"],
      ["webhook", "identity.user.created"],
    ]);
  });

  it("by staff names them as the actor, and is rejected for owners", async () => {
    const { env, mailbox, company, run, importRows } = await createImport();
    const staff = await createActor(env, mailbox, company, { staff: true });
    const owner = await createActor(env, mailbox, company, { owner: true });
    await importRows([person()], {}, staff.token);
    const [entry] = await entriesOf(company.id, "identity.people.imported");
    expect(entry).toMatchObject({
      user_id: staff.id,
      user_email: staff.email,
      actor: JSON.stringify({ kind: "session", user_id: staff.id }),
    });
    await expect(run([person()], {}, owner.token)).rejects.toThrow("403");
  });
});

describe("a person who signs in between the read and the write of a chunk", () => {
  it("keeps the account, and gets no account linked for which nothing is proven", async () => {
    const { env, company, importRows } = await createImport();
    const account = { provider: "google", subject: subject() };
    const row = person({ email_verified: false, provider_accounts: [account] });
    const metered = meterDatabase(env.DB, async (call) => {
      if (call !== 2) return;
      const id = await createUser({ email: row.email, company: company.id });
      await updateRows(users, { email_verified_at: 5 }, eq(users.id, id));
    });
    env.DB = metered.db;
    await importRows([row]);
    const user = await findUserByEmail(row.email);
    expect(user).toMatchObject({ email_verified_at: 5, created_at: 1 });
    expect(await identitiesOf(user?.id ?? 0)).toEqual([]);
    expect(await rowsOfCompany(memberships, company.id)).toMatchObject([{ state: "allowed" }]);
    expect(await entriesOf(company.id, "identity.user.created")).toEqual([]);
  });
});

describe("an import of people who have an account", () => {
  it("changes names in the account, adds what is missing, and emits user.updated", async () => {
    const { company, importRows } = await createImport();
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    const group = await storeGroup(company);
    await insertRow(group_members, { group_id: group, user_id: id });
    const row = person({ email, email_verified: false });
    expect(await importRows([row])).toEqual([{ status: "updated" }]);
    expect(await findUserByEmail(email)).toMatchObject({ first_name: "Noor", last_name: "Haddad", created_at: 1 });
    const [event] = await entriesOf(company.id, "identity.user.updated");
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      source: "command",
      changed_fields: ["first_name", "last_name"],
    });
    // Missing or empty fields keep the stored values.
    expect(await importRows([{ email, first_name: "" }])).toEqual([{ status: "unchanged" }]);
    expect(await readRows(group_members, eq(group_members.user_id, id))).toHaveLength(1);
  });

  it("never replaces preferences", async () => {
    const { company, importRows } = await createImport();
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, language: "en" });
    await importRows([person({ email })]);
    expect(await readRows(preferences, eq(preferences.user_id, id))).toMatchObject([{ language: "en", region: "UTC" }]);
  });

  it("keeps names of a person of another company with the membership, and links no account there", async () => {
    const [importer, otherImporter] = [await createImport(), await createImport()];
    const email = freshEmail();
    const id = await createUser({ email, company: otherImporter.company.id });
    await updateRows(users, { metadata: { a: 1 } }, eq(users.id, id));
    const row = person({ email, provider_accounts: [{ provider: "google", subject: subject() }] });
    expect(await importer.importRows([row])).toEqual([
      { status: "updated", skipped: { provider_accounts: ["user_shared"] } },
    ]);
    expect(await findUserByEmail(email)).toMatchObject({ first_name: "Mina", last_name: "" });
    expect(await rowsOfCompany(memberships, importer.company.id)).toMatchObject([
      { user_id: id, profile: { first_name: "Noor", last_name: "Haddad", metadata: { a: 1 } } },
    ]);
    expect(await identitiesOf(id)).toEqual([]);
    expect(await importer.importRows([row])).toMatchObject([{ status: "unchanged" }]);
  });

  it("links no account to a proven address when the row's address is unverified", async () => {
    const { company, importRows } = await createImport();
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    await updateRows(users, { email_verified_at: 5 }, eq(users.id, id));
    const row = { email, provider_accounts: [{ provider: "google", subject: subject() }] };
    const skipped = { provider_accounts: ["email_unverified"] };
    expect(await importRows([row])).toEqual([{ status: "unchanged", skipped }]);
    expect(await importRows([{ ...row, email_verified: true }])).toEqual([{ status: "updated" }]);
    expect(await identitiesOf(id)).toMatchObject([{ email_proven: true }]);
  });
});

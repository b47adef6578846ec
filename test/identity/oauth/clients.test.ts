import { beforeEach, describe, expect, it, vi } from "vitest";
import { oauth_clients } from "../../../db/identity/schema";
import {
  callAs,
  changesOf,
  createPat,
  createTestUser,
  expectAdminsOnly,
  outcomeOf,
} from "../../support/identity/admin";
import {
  apple,
  type Client,
  clientsPath,
  deployed,
  deployment,
  fieldError,
  google,
  setUpClients,
} from "../../support/identity/oauth-clients";
import { rowsOfCompany, textOfTables } from "../../support/identity/rows";
import { restoreAfterEach } from "../../support/restore";

let admin: Awaited<ReturnType<typeof setUpClients>>;
beforeEach(async () => {
  admin = await setUpClients();
});
restoreAfterEach();

describe("reads, changes and removal of OAuth clients", () => {
  it("lists the company's clients in pages by provider id, and returns one client", async () => {
    const added = await admin.add(google);
    await admin.add({ provider: "github", client_id: "x" });
    const page = await (await callAs(admin.owner.bearer, "GET", clientsPath)).json<{ results: Client[] }>();
    expect(page).toMatchObject({ count: 2, page: 1, page_size: 20 });
    expect(page.results.map((row) => row.provider_id)).toEqual(["github", "google"]);
    expect(page.results[1]).toEqual(added);
    expect(await (await callAs(admin.owner.bearer, "GET", `${clientsPath}?page=2&page_size=1`)).json()).toMatchObject({
      count: 2,
      page: 2,
      results: [{ provider_id: "google" }],
    });
    expect(await outcomeOf(callAs(admin.owner.bearer, "GET", `${clientsPath}?page=0`))).toBe(
      fieldError({ page: ["out_of_range"] }),
    );
    expect(await (await callAs(admin.owner.bearer, "GET", `${clientsPath}/${added.id}`)).json()).toEqual(added);
  });

  it("hides a client from other companies, and lets staff delete it with company_id", async () => {
    const { id } = await admin.add(google);
    const foreign = await createTestUser(admin.other, { owner: true });
    const staff = await createTestUser(admin.other, { staff: true });
    for (const [method, body] of [["GET"], ["PUT", { label: "x" }], ["PATCH", { label: "x" }], ["DELETE"]] as const) {
      expect(await outcomeOf(callAs(foreign.bearer, method, `${clientsPath}/${id}`, body))).toBe("404 not_found");
      expect(await outcomeOf(callAs(staff.bearer, method, `${clientsPath}/${id}`, body))).toBe("404 not_found");
    }
    expect(await outcomeOf(callAs(admin.owner.bearer, "GET", `${clientsPath}/nonsense`))).toBe("404 not_found");
    expect((await callAs(staff.bearer, "DELETE", `${clientsPath}/${id}?company_id=${admin.company.id}`)).status).toBe(
      204,
    );
  });

  it.each(["PUT", "PATCH"])(
    "with %s changes only the fields in the body, and keeps the others, including the secret",
    async (method) => {
      const row = await admin.add({ ...google, label: "G" });
      const change = async (body: unknown) =>
        (await callAs(admin.owner.bearer, method, `${clientsPath}/${row.id}`, body)).json();
      const sealed = async () => (await admin.storedClients())[0]?.secret_sealed;
      const before = await sealed();
      expect(await change({ client_id: "new", is_active: false })).toEqual({
        ...row,
        client_id: "new",
        is_active: false,
        is_usable: false,
        updated_at: expect.any(String),
        warnings: [],
      });
      expect(await sealed()).toBe(before);
      expect(await change({ client_secret: "another", is_active: true })).toMatchObject({
        label: "G",
        is_usable: true,
      });
      expect(await sealed()).not.toBe(before);
      const entries = await changesOf(admin.company, "identity.oauth_client.updated");
      expect(entries.map(({ data }) => data.changed_fields)).toEqual([
        ["client_id", "is_active"],
        ["is_active", "client_secret"],
      ]);
    },
  );

  it("accepts its own response and an empty body as a change, and writes nothing", async () => {
    const row = await admin.add({ ...google, label: "G" });
    const put = async (id: string, body: object) =>
      (await callAs(admin.owner.bearer, "PUT", `${clientsPath}/${id}`, body)).json();
    for (const body of [{}, { provider: "google", slug: null }]) {
      expect(await put(row.id, body)).toEqual({ ...row, warnings: [] });
    }
    for (const present of [row, await admin.add({ provider: "microsoft", client_id: "m" }), await admin.add(apple)]) {
      expect(await put(present.id, present)).toEqual({ ...present, warnings: [] });
    }
    expect(await changesOf(admin.company, "identity.oauth_client.updated")).toEqual([]);
  });

  it("records only the fields that changed, and the secret only when it is in the body", async () => {
    const row = await admin.add({ provider: "microsoft", client_id: "m", client_secret: "s", tenant: "contoso.com" });
    const change = (body: object) =>
      callAs(admin.owner.bearer, "PATCH", `${clientsPath}/${row.id}`, { ...row, ...body });
    expect((await change({ label: "Work", tenant: null })).status).toBe(200);
    expect((await change({ label: "Work", tenant: "common", client_secret: "s" })).status).toBe(200);
    const entries = await changesOf(admin.company, "identity.oauth_client.updated");
    expect(entries.map(({ data }) => data.changed_fields)).toEqual([["label", "tenant"], ["client_secret"]]);
  });

  it("rejects a different provider or slug, the removal of a required field, and invalid values", async () => {
    const { id } = await admin.add(apple);
    const change = (body: unknown) => outcomeOf(callAs(admin.owner.bearer, "PATCH", `${clientsPath}/${id}`, body));
    expect(await change({ provider: "google" })).toBe(fieldError({ provider: ["not_allowed"] }));
    expect(await change({ slug: "x" })).toBe(fieldError({ slug: ["not_allowed"] }));
    expect(await change({ team_id: "" })).toBe(fieldError({ team_id: ["blank"] }));
    expect(await change({ key_id: null })).toBe(fieldError({ key_id: ["required"] }));
    expect(await change({ client_secret: "x" })).toBe(fieldError({ client_secret: ["not_allowed"] }));
    expect(await change({ private_key: "no key" })).toBe(fieldError({ private_key: ["invalid"] }));
    expect(await change({ label: 1 })).toBe(fieldError({ label: ["invalid"] }));
    expect(await change({ provider: "apple", team_id: "T2" })).toBe("200");
  });

  it("resets an optional value to its default with null", async () => {
    const row = await admin.add({ provider: "microsoft", client_id: "m", tenant: "contoso.com" });
    const response = await callAs(admin.owner.bearer, "PATCH", `${clientsPath}/${row.id}`, { tenant: null });
    expect(await response.json()).toMatchObject({ tenant: "common" });
    expect((await admin.storedClients())[0]).toMatchObject({ config: {} });
  });

  it("removes a client once, and allows a new client with its provider id", async () => {
    const { id } = await admin.add(google);
    const remove = () => outcomeOf(callAs(admin.owner.bearer, "DELETE", `${clientsPath}/${id}`));
    expect([await remove(), await remove()]).toEqual(["204", "404 not_found"]);
    await admin.add(google);
    const entries = await changesOf(admin.company, "identity.oauth_client");
    expect(entries.map(({ type }) => type.split(".").at(-1))).toEqual(["created", "deleted", "created"]);
    expect(entries[1]).toMatchObject({
      user_id: admin.owner.id,
      actor: { kind: "session", user_id: admin.owner.id },
      data: { oauth_client_id: id, provider_id: "google", ip_hash: expect.any(String) },
    });
  });

  it("admits staff and owners by their stored roles, not by the roles in the token", async () => {
    const { id } = await admin.add(google);
    await expectAdminsOnly(admin.company, admin.other, [
      ["GET", clientsPath],
      ["POST", clientsPath, { provider: "github", client_id: "x" }],
      ["GET", `${clientsPath}/${id}`],
      ["PUT", `${clientsPath}/${id}`, { label: "x" }],
      ["PATCH", `${clientsPath}/${id}`, { label: "x" }],
      ["DELETE", `${clientsPath}/${id}`],
      ["GET", "/api/v1/oauth-provider-catalog"],
    ]);
    expect(await admin.storedClients()).toHaveLength(1);
    const pat = await createPat(admin.company, admin.owner, false);
    expect((await callAs(pat, "PATCH", `${clientsPath}/${id}`, { label: "by token" })).status).toBe(200);
  }, 60_000);
});

describe("secrets of OAuth clients", () => {
  it("never returns, logs, publishes or stores a secret in plain text", async () => {
    const lines: string[] = [];
    for (const level of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, level).mockImplementation(
        (...values: unknown[]) => void lines.push(values.map(String).join(" ")),
      );
    }
    const secrets = [
      "mark-one-of-a-secret",
      "mark-two-of-a-secret",
      apple.private_key.slice(60, 100),
      "mark-four-refused",
    ];
    const [first, second, , rejectedSecret] = secrets;
    const responses = [
      await callAs(admin.owner.bearer, "POST", clientsPath, { ...google, client_secret: first }),
      await callAs(admin.owner.bearer, "POST", clientsPath, { ...google, client_secret: rejectedSecret }),
      await callAs(admin.owner.bearer, "POST", clientsPath, {
        ...google,
        provider: "github",
        client_secret: `${rejectedSecret}\n`,
      }),
      await callAs(admin.owner.bearer, "POST", clientsPath, { ...google, tenant: "x", client_secret: rejectedSecret }),
      await callAs(admin.owner.bearer, "POST", clientsPath, apple),
    ];
    expect(responses.map((response) => response.status)).toEqual([201, 409, 400, 400, 201]);
    const clients = await rowsOfCompany(oauth_clients, admin.company.id);
    const id = clients.find(({ provider }) => provider === "google")?.id ?? "";
    responses.push(
      await callAs(admin.owner.bearer, "PATCH", `${clientsPath}/${id}`, { client_secret: second }),
      await callAs(admin.owner.bearer, "GET", `${clientsPath}/${id}`),
      await callAs(admin.owner.bearer, "GET", clientsPath),
      await callAs(admin.owner.bearer, "GET", `/api/v1/settings?company_id=${admin.company.id}`),
      await callAs(admin.owner.bearer, "GET", "/api/v1/auth-methods"),
      await callAs(admin.owner.bearer, "DELETE", `${clientsPath}/${id}`),
    );
    const stored = await textOfTables();
    const answered = await Promise.all(
      responses.map(async (response) => JSON.stringify([...response.headers]) + (await response.text())),
    );
    expect(stored.length).toBeGreaterThan(10);
    expect(lines.length).toBeGreaterThan(10);
    for (const secret of secrets) {
      for (const text of [...lines, ...stored, ...answered]) expect(text).not.toContain(secret);
    }
    expect(stored.join("")).toContain("v1.");
  });

  it("encrypts secrets for their company and row, so that equal secrets have different ciphertexts", async () => {
    await admin.add(google);
    await admin.add({ ...google, provider: "github" });
    const sealed = (await admin.storedClients()).map((row) => String(row.secret_sealed));
    expect(new Set(sealed).size).toBe(2);
    for (const text of sealed) expect(text).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40,}$/);
  });
});

describe("catalog of providers", () => {
  it("returns the callback and the fields of each provider", async () => {
    const { bearer } = await createTestUser(admin.company, { owner: true }, deployment);
    const field = (name: string, required = true, isSecret = false) => ({ name, required, secret: isSecret });
    const basic = [field("client_id"), field("client_secret", true, true)];
    expect(await (await callAs(bearer, "GET", "/api/v1/oauth-provider-catalog", undefined, deployed)).json()).toEqual({
      callback_url: "https://id.example.com/api/v1/oauth/callback",
      results: [
        { provider: "google", label: "Google", fields: basic },
        { provider: "github", label: "GitHub", fields: basic },
        { provider: "microsoft", label: "Microsoft", fields: [...basic, field("tenant", false)] },
        {
          provider: "apple",
          label: "Apple",
          fields: [field("client_id"), field("team_id"), field("key_id"), field("private_key", true, true)],
        },
        {
          provider: "oidc",
          label: "OpenID Connect",
          fields: [field("issuer"), ...basic, field("scopes", false)],
        },
      ],
    });
  });
});

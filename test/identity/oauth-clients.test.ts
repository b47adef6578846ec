import { exportPKCS8, generateKeyPair } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { callAs, changesOf, createPat, createPerson, expectAdminsOnly, type Person, refusalOf } from "../support/admin";
import { createCompany, createMailbox, identityEnv, rows } from "../support/identity";

const path = "/api/v1/oauth-clients";
const secret = "GOCSPX-raw-secret-of-this-test";
const google = { provider: "google", client_id: "1234.apps.googleusercontent.com", client_secret: secret };
const keys = await Promise.all(
  ["ES256", "ES384", "RS256"].map(async (alg) =>
    exportPKCS8((await generateKeyPair(alg, { extractable: true })).privateKey),
  ),
);
const [private_key = "", ...otherKeys] = keys;
const apple = { provider: "apple", client_id: "com.example", team_id: "T1", key_id: "K1", private_key };
const deployment = { DEBUG: "false", JWT_ISSUER: "https://id.example.com" };
const deployed = identityEnv(createMailbox(), deployment);

type Client = { id: string; provider_id: string; is_usable: boolean; has_secret: boolean; updated_at: string };
let company: { id: number; origin: string };
let other: { id: number; origin: string };
let owner: Person;

beforeAll(async () => {
  other = await createCompany();
});

beforeEach(async () => {
  company = await createCompany();
  owner = await createPerson(company, { owner: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function add(body: Record<string, unknown>, bearer = owner.bearer): Promise<Client> {
  const response = await callAs(bearer, "POST", path, body);
  expect(response.status).toBe(201);
  return response.json();
}

/** Refusal of a new client, and that nothing was stored. */
async function refusalOfNew(body: Record<string, unknown>): Promise<string> {
  const before = await storedClients();
  const refusal = await refusalOf(callAs(owner.bearer, "POST", path, body));
  expect(await storedClients()).toEqual(before);
  return refusal;
}

const storedClients = () => rows("SELECT * FROM oauth_clients WHERE company_id = ?", company.id);
const fieldError = (fields: object) => `400 validation_failed ${JSON.stringify(fields)}`;

describe("adding a client", () => {
  it.each([
    [google, { provider_id: "google", client_id: google.client_id, is_usable: true, has_secret: true }],
    [
      { provider: "github", client_id: " Iv1.abc ", client_secret: secret, label: " GitHub ", is_active: false },
      { provider_id: "github", client_id: "Iv1.abc", label: "GitHub", is_active: false, is_usable: false },
    ],
    [
      { provider: "microsoft", client_id: "m", client_secret: secret },
      { provider_id: "microsoft", tenant: "common", is_usable: true },
    ],
    [
      { provider: "microsoft", client_id: "m", client_secret: secret, tenant: "contoso.onmicrosoft.com" },
      { tenant: "contoso.onmicrosoft.com", scopes: null },
    ],
    [
      { provider: "google", client_id: "g" },
      { has_secret: false, is_usable: false, is_active: true, label: "" },
    ],
  ])("takes %j", async (body, expected) => {
    const row = await add(body);
    expect(row).toMatchObject({ provider: body.provider, slug: null, issuer: null, ...expected });
    expect(Object.keys(row).sort()).toEqual(
      [
        ...["client_id", "created_at", "has_secret", "id", "is_active", "is_usable", "issuer", "key_id", "label"],
        ...["provider", "provider_id", "scopes", "slug", "team_id", "tenant", "updated_at"],
      ].sort(),
    );
  });

  it("takes apple's key with real line breaks or \\n, and no text that is none or of another kind", async () => {
    const shown = { provider_id: "apple", team_id: "T1", key_id: "K1", is_usable: true, has_secret: true };
    const { id, ...row } = await add(apple);
    expect(row).toMatchObject(shown);
    expect(await refusalOf(callAs(owner.bearer, "DELETE", `${path}/${id}`))).toBe("204");
    expect(await add({ ...apple, private_key: private_key.trim().replaceAll("\n", "\\n") })).toMatchObject(shown);
    const noKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    for (const key of ["no key", noKey, ...otherKeys]) {
      expect(await refusalOfNew({ ...apple, private_key: key })).toBe(fieldError({ private_key: ["invalid"] }));
    }
  });

  it.each([
    [{}, { client_id: ["required"], provider: ["required"] }],
    [{ ...google, provider: "facebook" }, { provider: ["invalid"] }],
    [{ ...google, provider: null }, { provider: ["invalid"] }],
    [{ ...google, client_id: " " }, { client_id: ["blank"] }],
    [{ ...google, client_id: "x".repeat(256) }, { client_id: ["too_long"] }],
    [{ ...google, client_id: "a\u0000" }, { client_id: ["invalid"] }],
    [{ ...google, client_secret: "" }, { client_secret: ["blank"] }],
    [{ ...google, client_secret: null }, { client_secret: ["invalid"] }],
    [{ ...google, client_secret: "x".repeat(4097) }, { client_secret: ["too_long"] }],
    [{ ...google, client_secret: "a\nb" }, { client_secret: ["invalid"] }],
    [{ ...google, label: "x".repeat(151) }, { label: ["too_long"] }],
    [{ ...google, is_active: 1 }, { is_active: ["invalid"] }],
    [{ ...google, slug: "shop" }, { slug: ["not_allowed"] }],
    [{ ...google, tenant: "common" }, { tenant: ["not_allowed"] }],
    [{ ...google, issuer: "https://id.example.com" }, { issuer: ["not_allowed"] }],
    [{ ...google, private_key: "x" }, { private_key: ["not_allowed"] }],
    [{ provider: "microsoft", client_id: "m", tenant: "../x" }, { tenant: ["invalid"] }],
    [
      { provider: "apple", client_id: "a" },
      { team_id: ["required"], key_id: ["required"] },
    ],
    [
      { provider: "apple", client_id: "a", team_id: "", key_id: "K", client_secret: "x" },
      { team_id: ["blank"], client_secret: ["not_allowed"] },
    ],
    [{ provider: "oidc", client_id: "o", issuer: "https://i.example.com" }, { slug: ["required"] }],
    [{ provider: "oidc", slug: "", client_id: "o", issuer: "https://i.example.com" }, { slug: ["blank"] }],
    [{ provider: "oidc", slug: "A b", client_id: "o" }, { slug: ["invalid"] }],
    [{ provider: "oidc", slug: "x".repeat(41), client_id: "o" }, { slug: ["too_long"] }],
    [{ provider: "oidc", slug: "x", client_id: "o" }, { issuer: ["required"] }],
    [{ provider: "oidc", slug: "x", client_id: "o", issuer: null }, { issuer: ["required"] }],
    [{ provider: "oidc", slug: "x", client_id: "o", scopes: "email" }, { scopes: ["invalid"] }],
  ])("refuses %j", async (body, fields) => {
    expect(await refusalOfNew(body)).toBe(fieldError(fields));
  });

  it("passes over null and empty values of fields that the provider does not have", async () => {
    await add({ ...google, slug: null, tenant: null, team_id: "", key_id: null, scopes: "", issuer: null });
    expect((await storedClients())[0]).toMatchObject({ config: "{}" });
  });

  it("refuses a second client of a provider id, in this company only", async () => {
    await add(google);
    expect(await refusalOfNew({ ...google, client_id: "other" })).toBe("409 oauth_client_duplicate_provider");
    const foreign = await createPerson(other, { owner: true });
    expect((await callAs(foreign.bearer, "POST", path, google)).status).toBe(201);
  });

  it("lets one of 50 parallel calls add a client, with one audit entry", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refusalOf(callAs(owner.bearer, "POST", path, google))),
    );
    expect(answers.filter((answer) => answer === "201")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "409 oauth_client_duplicate_provider")).toHaveLength(49);
    expect(await changesOf(company, "identity.oauth_client")).toHaveLength(1);
  });

  it("ends at 100 clients", async () => {
    await rows(
      `INSERT INTO oauth_clients (id, company_id, provider, provider_id, client_id, created_at, updated_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
       SELECT hex(randomblob(16)), ?, 'oidc', 'oidc-n' || i, 'c', 2, 2 FROM n`,
      company.id,
    );
    const { client_secret: _, ...incomplete } = google;
    const answers = await Promise.all(
      ["google", "github", "microsoft"].map((provider) =>
        refusalOf(callAs(owner.bearer, "POST", path, { ...incomplete, provider })),
      ),
    );
    expect(answers.sort()).toEqual(["201", "409 limit_reached", "409 limit_reached"]);
  });
});

describe("reading, changing and removing", () => {
  it("lists the company's clients by provider id and page, and shows one", async () => {
    const added = await add(google);
    await add({ provider: "github", client_id: "x" });
    const page = await (await callAs(owner.bearer, "GET", path)).json<{ results: Client[] }>();
    expect(page).toMatchObject({ count: 2, page: 1, page_size: 20 });
    expect(page.results.map((row) => row.provider_id)).toEqual(["github", "google"]);
    expect(page.results[1]).toEqual(added);
    expect(await (await callAs(owner.bearer, "GET", `${path}?page=2&page_size=1`)).json()).toMatchObject({
      count: 2,
      page: 2,
      results: [{ provider_id: "google" }],
    });
    expect(await refusalOf(callAs(owner.bearer, "GET", `${path}?page=0`))).toBe(fieldError({ page: ["out_of_range"] }));
    expect(await (await callAs(owner.bearer, "GET", `${path}/${added.id}`)).json()).toEqual(added);
  });

  it("keeps a client inside its company; staff reach it by company_id", async () => {
    const { id } = await add(google);
    const foreign = await createPerson(other, { owner: true });
    const staff = await createPerson(other, { staff: true });
    for (const [method, body] of [["GET"], ["PUT", { label: "x" }], ["PATCH", { label: "x" }], ["DELETE"]] as const) {
      expect(await refusalOf(callAs(foreign.bearer, method, `${path}/${id}`, body))).toBe("404 not_found");
      expect(await refusalOf(callAs(staff.bearer, method, `${path}/${id}`, body))).toBe("404 not_found");
    }
    expect(await refusalOf(callAs(owner.bearer, "GET", `${path}/nonsense`))).toBe("404 not_found");
    expect((await callAs(staff.bearer, "DELETE", `${path}/${id}?company_id=${company.id}`)).status).toBe(204);
  });

  it.each(["PUT", "PATCH"])("changes by %s what is named and keeps the rest, the secret too", async (method) => {
    const row = await add({ ...google, label: "G" });
    const change = async (body: unknown) => (await callAs(owner.bearer, method, `${path}/${row.id}`, body)).json();
    const sealed = async () => (await storedClients())[0]?.secret_sealed;
    const before = await sealed();
    expect(await change({ client_id: "new", is_active: false })).toEqual({
      ...row,
      client_id: "new",
      is_active: false,
      is_usable: false,
      updated_at: expect.any(String),
    });
    expect(await sealed()).toBe(before);
    expect(await change({ client_secret: "another", is_active: true })).toMatchObject({ label: "G", is_usable: true });
    expect(await sealed()).not.toBe(before);
    const entries = await changesOf(company, "identity.oauth_client.updated");
    expect(entries.map(({ data }) => data.changed_fields)).toEqual([
      ["client_id", "is_active"],
      ["is_active", "client_secret"],
    ]);
  });

  it("takes a row back as it was answered, and an empty change, without touching anything", async () => {
    const row = await add({ ...google, label: "G" });
    for (const body of [{}, { provider: "google", slug: null }]) {
      expect(await (await callAs(owner.bearer, "PUT", `${path}/${row.id}`, body)).json()).toEqual(row);
    }
    for (const present of [row, await add({ provider: "microsoft", client_id: "m" }), await add(apple)]) {
      expect(await (await callAs(owner.bearer, "PUT", `${path}/${present.id}`, present)).json()).toEqual(present);
    }
    expect(await changesOf(company, "identity.oauth_client.updated")).toEqual([]);
  });

  it("notes only the fields that are others now, and never that a secret stayed", async () => {
    const row = await add({ provider: "microsoft", client_id: "m", client_secret: "s", tenant: "contoso.com" });
    const change = (body: object) => callAs(owner.bearer, "PATCH", `${path}/${row.id}`, { ...row, ...body });
    expect((await change({ label: "Work", tenant: null })).status).toBe(200);
    expect((await change({ label: "Work", tenant: "common", client_secret: "s" })).status).toBe(200);
    const entries = await changesOf(company, "identity.oauth_client.updated");
    expect(entries.map(({ data }) => data.changed_fields)).toEqual([["label", "tenant"], ["client_secret"]]);
  });

  it("refuses another provider or slug, a required field taken away, and bad values", async () => {
    const { id } = await add(apple);
    const change = (body: unknown) => refusalOf(callAs(owner.bearer, "PATCH", `${path}/${id}`, body));
    expect(await change({ provider: "google" })).toBe(fieldError({ provider: ["not_allowed"] }));
    expect(await change({ slug: "x" })).toBe(fieldError({ slug: ["not_allowed"] }));
    expect(await change({ team_id: "" })).toBe(fieldError({ team_id: ["blank"] }));
    expect(await change({ key_id: null })).toBe(fieldError({ key_id: ["required"] }));
    expect(await change({ client_secret: "x" })).toBe(fieldError({ client_secret: ["not_allowed"] }));
    expect(await change({ private_key: "no key" })).toBe(fieldError({ private_key: ["invalid"] }));
    expect(await change({ label: 1 })).toBe(fieldError({ label: ["invalid"] }));
    expect(await change({ provider: "apple", team_id: "T2" })).toBe("200");
  });

  it("takes an optional value away with null, back to its default", async () => {
    const row = await add({ provider: "microsoft", client_id: "m", tenant: "contoso.com" });
    const answer = await callAs(owner.bearer, "PATCH", `${path}/${row.id}`, { tenant: null });
    expect(await answer.json()).toMatchObject({ tenant: "common" });
    expect((await storedClients())[0]).toMatchObject({ config: "{}" });
  });

  it("removes a client once; its provider id is free again", async () => {
    const { id } = await add(google);
    const remove = () => refusalOf(callAs(owner.bearer, "DELETE", `${path}/${id}`));
    expect([await remove(), await remove()]).toEqual(["204", "404 not_found"]);
    await add(google);
    const entries = await changesOf(company, "identity.oauth_client");
    expect(entries.map(({ type }) => type.split(".").at(-1))).toEqual(["created", "deleted", "created"]);
    expect(entries[1]).toMatchObject({
      user_id: owner.id,
      actor: { kind: "session", user_id: owner.id },
      data: { oauth_client_id: id, provider_id: "google", ip_hash: expect.any(String) },
    });
  });

  it("is for staff and owners by the live record", async () => {
    const { id } = await add(google);
    await expectAdminsOnly(company, other, [
      ["GET", path],
      ["POST", path, { provider: "github", client_id: "x" }],
      ["GET", `${path}/${id}`],
      ["PUT", `${path}/${id}`, { label: "x" }],
      ["PATCH", `${path}/${id}`, { label: "x" }],
      ["DELETE", `${path}/${id}`],
      ["GET", "/api/v1/oauth-provider-catalog"],
    ]);
    expect(await storedClients()).toHaveLength(1);
    const pat = await createPat(company, owner, false);
    expect((await callAs(pat, "PATCH", `${path}/${id}`, { label: "by token" })).status).toBe(200);
  }, 60_000);
});

describe("secrets", () => {
  it("are never answered, logged, put into events or stored as they are", async () => {
    const lines: string[] = [];
    for (const level of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, level).mockImplementation(
        (...values: unknown[]) => void lines.push(values.map(String).join(" ")),
      );
    }
    const marks = ["mark-one-of-a-secret", "mark-two-of-a-secret", private_key.slice(60, 100), "mark-four-refused"];
    const [first, second, , refused] = marks;
    const answers = [
      await callAs(owner.bearer, "POST", path, { ...google, client_secret: first }),
      await callAs(owner.bearer, "POST", path, { ...google, client_secret: refused }),
      await callAs(owner.bearer, "POST", path, { ...google, provider: "github", client_secret: `${refused}\n` }),
      await callAs(owner.bearer, "POST", path, { ...google, tenant: "x", client_secret: refused }),
      await callAs(owner.bearer, "POST", path, apple),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([201, 409, 400, 400, 201]);
    const [{ id } = { id: "" }] = await rows<{ id: string }>(
      "SELECT id FROM oauth_clients WHERE company_id = ? AND provider = 'google'",
      company.id,
    );
    answers.push(
      await callAs(owner.bearer, "PATCH", `${path}/${id}`, { client_secret: second }),
      await callAs(owner.bearer, "GET", `${path}/${id}`),
      await callAs(owner.bearer, "GET", path),
      await callAs(owner.bearer, "GET", `/api/v1/settings?company_id=${company.id}`),
      await callAs(owner.bearer, "GET", "/api/v1/auth-methods"),
      await callAs(owner.bearer, "DELETE", `${path}/${id}`),
    );
    const tables = await rows<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    const stored = await Promise.all(
      tables.map(async ({ name }) => JSON.stringify(await rows(`SELECT * FROM "${name}"`))),
    );
    const answered = await Promise.all(
      answers.map(async (answer) => JSON.stringify([...answer.headers]) + (await answer.text())),
    );
    expect(tables.length).toBeGreaterThan(10);
    expect(lines.length).toBeGreaterThan(10);
    for (const mark of marks) {
      for (const text of [...lines, ...stored, ...answered]) expect(text).not.toContain(mark);
    }
    expect(stored.join("")).toContain("v1.");
  });

  it("are sealed for their company and row: the same text never looks the same", async () => {
    await add(google);
    await add({ ...google, provider: "github" });
    const sealed = (await storedClients()).map((row) => String(row.secret_sealed));
    expect(new Set(sealed).size).toBe(2);
    for (const text of sealed) expect(text).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40,}$/);
  });
});

describe("the issuer of a generic client", () => {
  const issuer = "https://login.partner.example.com";
  const oidc = { provider: "oidc", slug: "partner", client_id: "o", client_secret: secret, issuer };
  const documentOf = (named: string, more: object = {}) => ({
    issuer: named,
    authorization_endpoint: `${named}/authorize`,
    token_endpoint: `${named}/token`,
    jwks_uri: `${named}/jwks`,
    ...more,
  });
  let called: string[];

  /** The outside world: addresses of every name, and what every other URL answers. */
  function connect(answer: (url: URL) => Response | Promise<Response>, addresses = ["93.184.216.34"]) {
    called = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      if (url.hostname === "cloudflare-dns.com") {
        const isA = url.searchParams.get("type") === "A";
        return Response.json({ Status: 0, Answer: isA ? addresses.map((data) => ({ type: 1, data })) : [] });
      }
      called.push(url.href);
      return answer(url);
    });
  }

  async function addDeployed(body: object): Promise<Response> {
    const { bearer } = await createPerson(company, { owner: true }, deployment);
    return callAs(bearer, "POST", path, body, deployed);
  }

  it("is looked up by its discovery document when it is saved", async () => {
    connect(() => Response.json(documentOf(issuer)));
    const response = await addDeployed({ ...oidc, scopes: "openid email" });
    expect([response.status, await response.json()]).toMatchObject([
      201,
      { provider_id: "oidc-partner", slug: "partner", issuer, scopes: "openid email", is_usable: true, tenant: null },
    ]);
    expect(called).toEqual([`${issuer}/.well-known/openid-configuration`]);
  });

  it("may have a path or a trailing slash, as its document says", async () => {
    const named = `${issuer}/realms/one/`;
    connect(() => Response.json(documentOf(named)));
    expect((await addDeployed({ ...oidc, issuer: named })).status).toBe(201);
    expect(called).toEqual([`${issuer}/realms/one/.well-known/openid-configuration`]);
  });

  it.each([
    ["names another issuer", () => Response.json(documentOf("https://evil.example.com"))],
    ["names it with a slash", () => Response.json(documentOf(`${issuer}/`))],
    ["is not complete", () => Response.json({ issuer })],
    [
      "names an endpoint without https",
      () => Response.json(documentOf(issuer, { token_endpoint: "http://a.example.com" })),
    ],
    ["is no JSON", () => new Response("<html>")],
    ["is not there", () => new Response("{}", { status: 404 })],
    ["is elsewhere", () => new Response(null, { status: 302, headers: { location: "https://evil.example.com" } })],
    ["is too large", () => Response.json(documentOf(issuer, { padding: "x".repeat(1_100_000) }))],
    ["cannot be reached", () => Promise.reject(new Error("no route"))],
  ])("is refused when its document %s", async (_, answer) => {
    connect(answer);
    expect(await refusalOf(addDeployed(oidc))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(called).toHaveLength(1);
    expect(await storedClients()).toEqual([]);
  });

  it.each([
    "http://login.partner.example.com",
    "https://user:pw@login.partner.example.com",
    "https://login.partner.example.com?x=1",
    "https://login.partner.example.com#x",
    "https://localhost",
    "https://127.0.0.1",
    "https://169.254.169.254",
    "https://[::1]",
    "https://metadata.internal",
    "login.partner.example.com",
    "javascript:alert(1)",
  ])("is refused before any call: %s", async (bad) => {
    connect(() => Response.json(documentOf(bad)));
    expect(await refusalOf(addDeployed({ ...oidc, issuer: bad }))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(called).toEqual([]);
  });

  it("is refused when one address of its host is not public", async () => {
    connect(() => Response.json(documentOf(issuer)), ["93.184.216.34", "10.0.0.7"]);
    expect(await refusalOf(addDeployed(oidc))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(called).toEqual([]);
  });

  it("may be on the developer's own machine in DEBUG, by http too, and nowhere else that is not public", async () => {
    connect((url) => Response.json(documentOf(url.origin)));
    expect((await add({ ...oidc, issuer: "http://localhost:9000" })).provider_id).toBe("oidc-partner");
    const named = { ...oidc, slug: "other" };
    for (const bad of ["http://10.0.0.7", "https://10.0.0.7", "http://login.partner.example.com"]) {
      expect(await refusalOfNew({ ...named, issuer: bad })).toBe(fieldError({ issuer: ["invalid"] }));
    }
  });

  it("is looked up again when it changes, and not when another field does", async () => {
    connect((url) => Response.json(documentOf(url.origin)));
    const row = await add(oidc);
    const change = (body: unknown) => refusalOf(callAs(owner.bearer, "PATCH", `${path}/${row.id}`, body));
    connect(() => new Response(null, { status: 503 }));
    expect(await change({ label: "Partner", issuer })).toBe("200");
    expect(called).toEqual([]);
    expect(await change({ issuer: "https://new.partner.example.com" })).toBe(fieldError({ issuer: ["invalid"] }));
    expect(await change({ issuer: "" })).toBe(fieldError({ issuer: ["blank"] }));
    connect((url) => Response.json(documentOf(url.origin)));
    expect(await change({ issuer: "https://new.partner.example.com", slug: "partner" })).toBe("200");
    expect(await change({ slug: "renamed" })).toBe(fieldError({ slug: ["not_allowed"] }));
    expect((await storedClients())[0]).toMatchObject({
      provider_id: "oidc-partner",
      label: "Partner",
      config: JSON.stringify({ issuer: "https://new.partner.example.com" }),
    });
  });

  it("lets a company have one generic client per slug", async () => {
    connect((url) => Response.json(documentOf(url.origin)));
    await add(oidc);
    expect((await add({ ...oidc, slug: "second" })).provider_id).toBe("oidc-second");
    expect(await refusalOfNew({ ...oidc, client_id: "x" })).toBe("409 oauth_client_duplicate_provider");
  });
});

describe("the provider catalog", () => {
  it("names the callback, and the fields of each provider", async () => {
    const { bearer } = await createPerson(company, { owner: true }, deployment);
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

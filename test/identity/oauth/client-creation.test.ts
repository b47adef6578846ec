import { beforeEach, describe, expect, it, vi } from "vitest";
import { oauth_clients } from "../../../db/identity/schema";
import { callAs, changesOf, createTestUser, outcomeOf } from "../../support/identity/admin";
import {
  apple,
  clientSecret,
  clientsPath,
  createPrivateKey,
  deployed,
  deployment,
  fieldError,
  google,
  setUpClients,
} from "../../support/identity/oauth-clients";
import { insertRows } from "../../support/identity/rows";
import { restoreAfterEach } from "../../support/restore";

let admin: Awaited<ReturnType<typeof setUpClients>>;
beforeEach(async () => {
  admin = await setUpClients();
});
restoreAfterEach();

describe("creation of OAuth clients", () => {
  it.each([
    [google, { provider_id: "google", client_id: google.client_id, is_usable: true, has_secret: true }],
    [
      { provider: "github", client_id: " Iv1.abc ", client_secret: clientSecret, label: " GitHub ", is_active: false },
      { provider_id: "github", client_id: "Iv1.abc", label: "GitHub", is_active: false, is_usable: false },
    ],
    [
      { provider: "microsoft", client_id: "m", client_secret: clientSecret },
      { provider_id: "microsoft", tenant: "common", is_usable: true },
    ],
    [
      { provider: "microsoft", client_id: "m", client_secret: clientSecret, tenant: "contoso.onmicrosoft.com" },
      { tenant: "contoso.onmicrosoft.com", scopes: null },
    ],
    [
      { provider: "google", client_id: "g" },
      { has_secret: false, is_usable: false, is_active: true, label: "" },
    ],
  ])("accepts %j", async (body, expected) => {
    const row = await admin.add(body);
    expect(row).toMatchObject({ provider: body.provider, slug: null, issuer: null, ...expected });
    expect(Object.keys(row).sort()).toEqual(
      [
        "client_id",
        "created_at",
        "has_secret",
        "id",
        "is_active",
        "is_usable",
        "issuer",
        "key_id",
        "label",
        "provider",
        "provider_id",
        "scopes",
        "slug",
        "team_id",
        "tenant",
        "updated_at",
      ].sort(),
    );
  });

  it("accepts Apple's key with line breaks or \\n, and rejects other text and keys of another algorithm", async () => {
    const storedFields = { provider_id: "apple", team_id: "T1", key_id: "K1", is_usable: true, has_secret: true };
    const { id, ...row } = await admin.add(apple);
    expect(row).toMatchObject(storedFields);
    expect(await outcomeOf(callAs(admin.owner.bearer, "DELETE", `${clientsPath}/${id}`))).toBe("204");
    expect(await admin.add({ ...apple, private_key: apple.private_key.trim().replaceAll("\n", "\\n") })).toMatchObject(
      storedFields,
    );
    const noKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    for (const key of ["no key", noKey, ...(await Promise.all(["ES384", "RS256"].map(createPrivateKey)))]) {
      expect(await admin.tryAdd({ ...apple, private_key: key })).toBe(fieldError({ private_key: ["invalid"] }));
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
  ])("rejects %j", async (body, fields) => {
    expect(await admin.tryAdd(body)).toBe(fieldError(fields));
  });

  it("ignores null and empty values of fields that the provider does not have", async () => {
    await admin.add({ ...google, slug: null, tenant: null, team_id: "", key_id: null, scopes: "", issuer: null });
    expect((await admin.storedClients())[0]).toMatchObject({ config: {} });
  });

  it("rejects a second client with the same provider id only within the company", async () => {
    await admin.add(google);
    expect(await admin.tryAdd({ ...google, client_id: "other" })).toBe("409 oauth_client_duplicate_provider");
    const foreign = await createTestUser(admin.other, { owner: true });
    expect((await callAs(foreign.bearer, "POST", clientsPath, google)).status).toBe(201);
  });

  it("adds one client for 50 parallel requests, with one audit entry", async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => outcomeOf(callAs(admin.owner.bearer, "POST", clientsPath, google))),
    );
    expect(responses.filter((response) => response === "201")).toHaveLength(1);
    expect(responses.filter((response) => response === "409 oauth_client_duplicate_provider")).toHaveLength(49);
    expect(await changesOf(admin.company, "identity.oauth_client")).toHaveLength(1);
  });

  it("rejects more than 100 clients", async () => {
    await insertRows(
      oauth_clients,
      Array.from({ length: 99 }, (_, i) => ({
        id: crypto.randomUUID(),
        company_id: admin.company.id,
        provider: "oidc" as const,
        provider_id: `oidc-n${i + 1}`,
        client_id: "c",
        created_at: 2,
        updated_at: 2,
      })),
    );
    const { client_secret: _, ...incomplete } = google;
    const responses = await Promise.all(
      ["google", "github", "microsoft"].map((provider) =>
        outcomeOf(callAs(admin.owner.bearer, "POST", clientsPath, { ...incomplete, provider })),
      ),
    );
    expect(responses.sort()).toEqual(["201", "409 limit_reached", "409 limit_reached"]);
  });
});

describe("issuer of a generic client", () => {
  const issuer = "https://login.partner.example.com";
  const oidc = { provider: "oidc", slug: "partner", client_id: "o", client_secret: clientSecret, issuer };
  const discoveryDocument = (issuerName: string, overrides: object = {}) => ({
    issuer: issuerName,
    authorization_endpoint: `${issuerName}/authorize`,
    token_endpoint: `${issuerName}/token`,
    jwks_uri: `${issuerName}/jwks`,
    ...overrides,
  });
  let requestedUrls: string[];

  /** Replaces fetch: DNS queries return `addresses` for every name, and `respond` handles all other requests. */
  function connect(respond: (url: URL) => Response | Promise<Response>, addresses = ["93.184.216.34"]) {
    requestedUrls = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      if (url.hostname === "cloudflare-dns.com") {
        const isA = url.searchParams.get("type") === "A";
        return Response.json({ Status: 0, Answer: isA ? addresses.map((data) => ({ type: 1, data })) : [] });
      }
      requestedUrls.push(url.href);
      return respond(url);
    });
  }

  async function addDeployed(body: object): Promise<Response> {
    const { bearer } = await createTestUser(admin.company, { owner: true }, deployment);
    return callAs(bearer, "POST", clientsPath, body, deployed);
  }

  it("reads the discovery document of the issuer when the client is saved", async () => {
    connect(() => Response.json(discoveryDocument(issuer)));
    const response = await addDeployed({ ...oidc, scopes: "openid email" });
    expect([response.status, await response.json()]).toMatchObject([
      201,
      { provider_id: "oidc-partner", slug: "partner", issuer, scopes: "openid email", is_usable: true, tenant: null },
    ]);
    expect(requestedUrls).toEqual([`${issuer}/.well-known/openid-configuration`]);
  });

  it("accepts a path or a trailing slash if the discovery document contains it too", async () => {
    const issuerName = `${issuer}/realms/one/`;
    connect(() => Response.json(discoveryDocument(issuerName)));
    expect((await addDeployed({ ...oidc, issuer: issuerName })).status).toBe(201);
    expect(requestedUrls).toEqual([`${issuer}/realms/one/.well-known/openid-configuration`]);
  });

  it.each([
    ["names another issuer", () => Response.json(discoveryDocument("https://evil.example.com"))],
    ["names the issuer with a trailing slash", () => Response.json(discoveryDocument(`${issuer}/`))],
    ["is not complete", () => Response.json({ issuer })],
    [
      "names an endpoint without https",
      () => Response.json(discoveryDocument(issuer, { token_endpoint: "http://a.example.com" })),
    ],
    ["is not JSON", () => new Response("<html>")],
    ["is missing", () => new Response("{}", { status: 404 })],
    [
      "redirects to another host",
      () => new Response(null, { status: 302, headers: { location: "https://evil.example.com" } }),
    ],
    ["is too large", () => Response.json(discoveryDocument(issuer, { padding: "x".repeat(1_100_000) }))],
    ["cannot be reached", () => Promise.reject(new Error("no route"))],
  ])("rejects an issuer whose document %s", async (_, response) => {
    connect(response);
    expect(await outcomeOf(addDeployed(oidc))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(requestedUrls).toHaveLength(1);
    expect(await admin.storedClients()).toEqual([]);
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
  ])("rejects the issuer %s before it sends any request", async (bad) => {
    connect(() => Response.json(discoveryDocument(bad)));
    expect(await outcomeOf(addDeployed({ ...oidc, issuer: bad }))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(requestedUrls).toEqual([]);
  });

  it("rejects an issuer when one address of its host is not public", async () => {
    connect(() => Response.json(discoveryDocument(issuer)), ["93.184.216.34", "10.0.0.7"]);
    expect(await outcomeOf(addDeployed(oidc))).toBe(fieldError({ issuer: ["invalid"] }));
    expect(requestedUrls).toEqual([]);
  });

  it("accepts a loopback issuer, including http, only in DEBUG", async () => {
    connect((url) => Response.json(discoveryDocument(url.origin)));
    expect((await admin.add({ ...oidc, issuer: "http://localhost:9000" })).provider_id).toBe("oidc-partner");
    const otherClient = { ...oidc, slug: "other" };
    for (const bad of ["http://10.0.0.7", "https://10.0.0.7", "http://login.partner.example.com"]) {
      expect(await admin.tryAdd({ ...otherClient, issuer: bad })).toBe(fieldError({ issuer: ["invalid"] }));
    }
  });

  it("reads the discovery document again only when the issuer changes", async () => {
    connect((url) => Response.json(discoveryDocument(url.origin)));
    const row = await admin.add(oidc);
    const change = (body: unknown) => outcomeOf(callAs(admin.owner.bearer, "PATCH", `${clientsPath}/${row.id}`, body));
    connect(() => new Response(null, { status: 503 }));
    expect(await change({ label: "Partner", issuer })).toBe("200");
    expect(requestedUrls).toEqual([]);
    expect(await change({ issuer: "https://new.partner.example.com" })).toBe(fieldError({ issuer: ["invalid"] }));
    expect(await change({ issuer: "" })).toBe(fieldError({ issuer: ["blank"] }));
    connect((url) => Response.json(discoveryDocument(url.origin)));
    expect(await change({ issuer: "https://new.partner.example.com", slug: "partner" })).toBe("200");
    expect(await change({ slug: "renamed" })).toBe(fieldError({ slug: ["not_allowed"] }));
    expect((await admin.storedClients())[0]).toMatchObject({
      provider_id: "oidc-partner",
      label: "Partner",
      config: { issuer: "https://new.partner.example.com" },
    });
  });

  it("allows one generic client per slug and company", async () => {
    connect((url) => Response.json(discoveryDocument(url.origin)));
    await admin.add(oidc);
    expect((await admin.add({ ...oidc, slug: "second" })).provider_id).toBe("oidc-second");
    expect(await admin.tryAdd({ ...oidc, client_id: "x" })).toBe("409 oauth_client_duplicate_provider");
  });
});

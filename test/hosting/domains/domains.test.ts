import { afterEach, describe, expect, it, vi } from "vitest";
import type { PublicDomain } from "../../../schemas/hosting/domain";
import { freshHostname, startDomains } from "../../support/hosting/domains";
import { readError } from "../../support/sibling/sibling";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("custom domains", () => {
  it("are added with the DNS records that they need, and read back", async () => {
    const { app, add, read } = await startDomains();
    const hostname = freshHostname();
    const domain = await add(` ${hostname.toUpperCase()}. `);
    expect(domain).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_id: app.id,
      hostname,
      state: "pending",
      error: null,
      is_registered: null,
      records: [
        {
          type: "TXT",
          name: `_platform-hosting.${hostname}`,
          value: expect.stringMatching(/^platform-hosting=[\w-]{32}$/),
        },
        { type: "CNAME", name: hostname, value: `${app.slug}.apps.example.com` },
      ],
      checked_at: null,
      next_check_at: expect.any(String),
      verified_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await read(domain.id)).toEqual(domain);
  });

  it("are listed by host name, page by page", async () => {
    const { add, call, path } = await startDomains();
    const base = freshHostname();
    for (const label of ["c", "a", "b"]) await add(`${label}.${base}`);
    type Page = { count?: number; results: PublicDomain[]; next_cursor: string | null };
    const first = await (await call(`${path}?page_size=2`)).json<Page>();
    expect([first.count, first.results.map(({ hostname }) => hostname)]).toEqual([3, [`a.${base}`, `b.${base}`]]);
    const second = await (await call(`${path}?page_size=2&cursor=${first.next_cursor}`)).json<Page>();
    expect([second.results.map(({ hostname }) => hostname), second.next_cursor]).toEqual([[`c.${base}`], null]);
  });

  it("are limited per app, and unique in it", async () => {
    const { add, call, path } = await startDomains({ vars: { HOSTING_MAX_DOMAINS_PER_APP: "2" } });
    const hostname = freshHostname();
    const post = async (name: string) => readError(await call(path, { json: { hostname: name } }));
    await add(hostname);
    expect(await post(hostname)).toEqual([409, "domain_exists"]);
    await add(freshHostname());
    expect(await post(freshHostname())).toEqual([409, "domain_limit_reached"]);
    expect(await post(hostname)).toEqual([409, "domain_exists"]);
  });

  it("keep to the limit when they are added in parallel", async () => {
    const { call, path } = await startDomains({ vars: { HOSTING_MAX_DOMAINS_PER_APP: "3" } });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await call(path, { json: { hostname: freshHostname() } })).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  });

  it.each([
    ["", "blank"],
    [" ", "blank"],
    [".", "blank"],
    ["example", "invalid"],
    ["192.0.2.7", "invalid"],
    ["[2001:db8::1]", "invalid"],
    ["1.2", "invalid"],
    ["0x7f.1", "invalid"],
    ["app.example.com:8080", "invalid"],
    ["https://app.example.com", "invalid"],
    ["app.example.com/path", "invalid"],
    ["user@app.example.com", "invalid"],
    ["*.example.com", "invalid"],
    ["app_1.example.com", "invalid"],
    ["-app.example.com", "invalid"],
    ["app..example.com", "invalid"],
    ["app\u0000.example.com", "invalid"],
    [`${"a".repeat(64)}.example.com`, "invalid"],
    [`${"abcdefghi.".repeat(23)}example.com`, "too_long"],
    [`${"a".repeat(1001)}`, "too_long"],
    ["apps.example.com", "reserved"],
    ["shop.apps.example.com", "reserved"],
    ["identity.platform.example", "reserved"],
    ["www.storage.platform.example", "reserved"],
    ["app.localhost", "reserved"],
    ["printer.local", "reserved"],
    ["db.internal", "reserved"],
    ["home.home.arpa", "reserved"],
  ])("reject the host name %j with %s", async (hostname, code) => {
    const { call, path } = await startDomains({
      vars: { SERVICE_DOMAINS: "other.example,platform.example" },
    });
    const response = await call(path, { json: { hostname } });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error_code: "validation_failed", field_errors: { hostname: [code] } }),
    ]);
  });

  it.each([{}, { hostname: 7 }, { hostname: null }])("reject the body %j", async (json) => {
    const { call, path } = await startDomains();
    expect(await readError(await call(path, { json }))).toEqual([400, "validation_failed"]);
  });

  it("store an internationalized name in ASCII", async () => {
    const { add } = await startDomains();
    const id = crypto.randomUUID();
    expect((await add(`Bücher.${id}.Example`)).hostname).toBe(`xn--bcher-kva.${id}.example`);
  });

  it("need access for a change", async () => {
    const { add, call, companyId, path, remove, send, staff } = await startDomains();
    const domain = await add(freshHostname());
    await send("access", { company_id: companyId, status: "denied" }, 200, { bearer: staff });
    const denied = [403, "hosting_access_denied"];
    expect(await readError(await call(path, { json: { hostname: freshHostname() } }))).toEqual(denied);
    expect(await readError(await call(`${path}/${domain.id}/check`, { method: "POST" }))).toEqual(denied);
    expect(await readError(await remove(domain.id))).toEqual(denied);
    expect((await call(`${path}/${domain.id}`)).status).toBe(200);
  });

  it("are found only below their own app", async () => {
    const { add, call, createApp, path } = await startDomains();
    const domain = await add(freshHostname());
    const other = await createApp();
    expect((await call(`apps/${other.id}/domains/${domain.id}`)).status).toBe(404);
    expect((await call(`${path}/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await call(`${path}/nope`)).status).toBe(404);
    expect((await call("apps/nope/domains")).status).toBe(404);
  });
});

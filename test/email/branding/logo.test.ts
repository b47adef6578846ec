import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { audit_log, brandings } from "../../../db/email/schema";
import type { EmailBindings } from "../../../workers/email/bindings";
import { bytesToHex } from "../../../workers/kit/crypto/encoding";
import { sha256 } from "../../../workers/kit/crypto/hash";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { createKey, type EmailHarness, magicLink, startEmail, testEnv } from "../../support/email/email";
import { imagesOfTests, uniquePng } from "../../support/email/images";
import { readRows } from "../../support/email/rows";
import { killAtEachCall, killable } from "../../support/storage/kill";

const PATH = "/api/v1/branding/logo";
const BRANDING = "/api/v1/branding";
const PUBLIC = "http://localhost:8787/email";

type Upload = {
  type?: string | null;
  path?: string;
  bindings?: Partial<EmailBindings>;
  headers?: Record<string, string>;
};

const upload = (email: EmailHarness, bearer: string, body: BodyInit, options: Upload = {}) => {
  const { type = "image/png", path = PATH, bindings, headers } = options;
  return email.call(path, {
    method: "PUT",
    bearer,
    body,
    ...(bindings === undefined ? {} : { bindings }),
    headers: { ...headers, ...(type === null ? {} : { "content-type": type }) },
  });
};

const nameOf = async (bytes: Uint8Array) => bytesToHex(await sha256(bytes));

async function logoOf(email: EmailHarness, bearer: string): Promise<string> {
  const { logo_url } = await (await send(email, bearer, { method: "GET", path: BRANDING })).json<{
    logo_url: string;
  }>();
  return logo_url;
}

/** Returns the bucket with some of its methods replaced. */
const filesWith = (changed: Partial<Record<keyof R2Bucket, unknown>>) => {
  const { FILES } = testEnv;
  const methods = { head: FILES.head.bind(FILES), get: FILES.get.bind(FILES), put: FILES.put.bind(FILES) };
  return { FILES: { ...methods, ...changed } as unknown as R2Bucket };
};

const failPut = async () => {
  throw new Error("put: We encountered an internal error. Please try again. (10001)");
};

afterEach(() => vi.unstubAllGlobals());

describe("the upload of a logo", () => {
  it.each(["PUT", "DELETE"])("requires the credentials of an administrative route for %s", async (method) => {
    await expectGuards(await startEmail(), { method, path: PATH });
  });

  it.each([
    ["image/png", imagesOfTests.png],
    ["image/jpeg", imagesOfTests.jpeg],
    ["IMAGE/WEBP; q=1", imagesOfTests.webp],
  ])(
    "stores a %s under the hash of its bytes, sets it in the branding and writes an audit entry",
    async (type, bytes) => {
      const email = await startEmail();
      const { companyId, owner, staff } = await startCompany(email);
      await send(email, owner, { method: "PUT", path: BRANDING, json: { footer_text: "Aster Labs" } });
      const response = await upload(email, owner, bytes, { type });
      const name = await nameOf(bytes);
      const logo_url = `${PUBLIC}/static/logos/${name}`;
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ company_id: companyId, logo_url, footer_text: "Aster Labs" }),
      ]);
      expect(await logoOf(email, owner)).toBe(logo_url);
      const again = await upload(email, staff, bytes, { type, path: `${PATH}?company_id=${companyId}` });
      expect(again.status).toBe(200);
      const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
      const image = {
        scheme: "light",
        sha256: name,
        type: type.toLowerCase().split(";")[0],
        width: 3,
        height: 2,
        size: bytes.length,
      };
      expect(entries.map(({ action, target, changes }) => [action, target, JSON.parse(changes)])).toEqual([
        ["branding.saved", "branding", { fields: ["footer_text"] }],
        ["branding.logo_uploaded", "branding", image],
        ["branding.logo_uploaded", "branding", image],
      ]);
    },
  );

  it("is shown on pages of other services, unlike a logo on another host", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const { key } = await createKey();
    const { key: foreignKey } = await createKey({ companies: [companyId + 1] });
    const lookOf = (bearer = key) => email.call(`${BRANDING}/page?company_id=${companyId}`, { bearer });
    const none = { company_id: companyId, primary_color: "", logo_url: "", logo_dark_url: "" };
    expect(await (await lookOf()).json()).toEqual(none);
    const { png } = imagesOfTests;
    await upload(email, owner, png);
    await send(email, owner, { method: "PUT", path: BRANDING, json: { primary_color: "#0a5c45" } });
    const logo_url = `${PUBLIC}/static/logos/${await nameOf(png)}`;
    expect(await (await lookOf()).json()).toEqual({ ...none, primary_color: "#0a5c45", logo_url });
    const elsewhere = { logo_url: "https://cdn.aster.example/logo.png", primary_color: "" };
    await send(email, owner, { method: "PUT", path: BRANDING, json: elsewhere });
    expect(await (await lookOf()).json()).toEqual(none);
    expect((await lookOf(owner)).status).toBe(401);
    expect((await lookOf(foreignKey)).status).toBe(403);
  });

  it("sets and removes the logo for dark backgrounds apart from the other one", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const [light, dark] = [uniquePng(), uniquePng()];
    const url = async (bytes: Uint8Array) => `${PUBLIC}/static/logos/${await nameOf(bytes)}`;
    await upload(email, owner, light);
    const response = await upload(email, owner, dark, { path: `${PATH}?scheme=dark` });
    expect(await response.json()).toMatchObject({ logo_url: await url(light), logo_dark_url: await url(dark) });
    expect((await send(email, owner, { method: "DELETE", path: `${PATH}?scheme=dark` })).status).toBe(204);
    const branding = await (await send(email, owner, { method: "GET", path: BRANDING })).json();
    expect(branding).toMatchObject({ logo_url: await url(light), logo_dark_url: "" });
    const wrong = await upload(email, owner, light, { path: `${PATH}?scheme=blue` });
    expect(await problemOf(wrong)).toEqual([400, "validation_failed", { scheme: ["invalid"] }]);
    const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
    expect(entries.map(({ action, changes }) => [action, JSON.parse(changes).scheme])).toEqual([
      ["branding.logo_uploaded", "light"],
      ["branding.logo_uploaded", "dark"],
      ["branding.logo_removed", "dark"],
    ]);
  });

  it("rejects anything but PNG, JPEG and WebP, regardless of its Content-Type, and stores nothing", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const { png, jpeg } = imagesOfTests;
    const huge = png.slice();
    huge.set([0, 0, 0x10, 0x01], 16);
    const problemOfUpload = async (body: BodyInit, type: string | null) =>
      problemOf(await upload(email, owner, body, { type }));
    expect(await problemOfUpload(svg, "image/svg+xml")).toEqual([415, "unsupported_media_type"]);
    expect(await problemOfUpload(png, null)).toEqual([415, "unsupported_media_type"]);
    expect(await problemOfUpload(png, "application/octet-stream")).toEqual([415, "unsupported_media_type"]);
    expect(await problemOfUpload(svg, "image/png")).toEqual([400, "image_invalid"]);
    expect(await problemOfUpload("", "image/png")).toEqual([400, "image_invalid"]);
    expect(await problemOfUpload(png.subarray(0, 40), "image/png")).toEqual([400, "image_invalid"]);
    expect(await problemOfUpload(jpeg, "image/png")).toEqual([400, "image_type_mismatch"]);
    expect(await problemOfUpload(huge, "image/png")).toEqual([400, "image_too_many_pixels"]);
    expect(await logoOf(email, owner)).toBe("");
    expect(await testEnv.FILES.head(`logos/${await nameOf(huge)}`)).toBeNull();
    expect(await readRows(audit_log, eq(audit_log.company_id, companyId))).toEqual([]);
  });

  it("accepts 262,144 bytes and rejects one more, with and without Content-Length", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const maxSize = uniquePng("x".repeat(262_144 - uniquePng("").length));
    const tooLarge = uniquePng("x".repeat(262_145 - uniquePng("").length));
    expect([maxSize.length, tooLarge.length]).toEqual([262_144, 262_145]);
    expect((await upload(email, owner, maxSize)).status).toBe(200);
    expect(await problemOf(await upload(email, owner, tooLarge))).toEqual([413, "payload_too_large"]);
    const stream = new Response(tooLarge).body;
    if (stream === null) throw new Error("no stream");
    expect(await problemOf(await upload(email, owner, stream))).toEqual([413, "payload_too_large"]);
    expect(await logoOf(email, owner)).toContain(await nameOf(maxSize));
  });

  it("returns 400 when the body ends early", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const cut = new ReadableStream({
      start: (controller) => controller.enqueue(uniquePng().subarray(0, 20)),
      pull: (controller) => controller.error(new Error("connection lost")),
    });
    expect(await problemOf(await upload(email, owner, cut))).toEqual([400, "incomplete_body"]);
  });

  it("does not affect another company's logo with the same bytes", async () => {
    const email = await startEmail();
    const [first, second] = [await startCompany(email), await startCompany(email)];
    const bytes = uniquePng();
    const foreign = await upload(email, second.owner, bytes, { path: `${PATH}?company_id=${first.companyId}` });
    expect(await problemOf(foreign)).toEqual([403, "company_mismatch"]);
    const url = `${PUBLIC}/static/logos/${await nameOf(bytes)}`;
    for (const { owner } of [first, second]) expect((await upload(email, owner, bytes)).status).toBe(200);
    expect((await send(email, first.owner, { method: "DELETE", path: PATH })).status).toBe(204);
    expect([await logoOf(email, first.owner), await logoOf(email, second.owner)]).toEqual(["", url]);
    expect((await email.call(new URL(url).pathname.replace("/email", ""))).status).toBe(200);
  });

  it("stores one of several concurrent logos together with its bytes", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const logos = [uniquePng(), uniquePng(), uniquePng()];
    const responses = await Promise.all([...logos, ...logos].map((bytes) => upload(email, owner, bytes)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const [row] = await readRows(brandings, eq(brandings.company_id, companyId));
    const names = await Promise.all(logos.map(nameOf));
    expect(names.map((name) => `${PUBLIC}/static/logos/${name}`)).toContain(row?.logo_url);
    for (const name of names) expect(await testEnv.FILES.head(`logos/${name}`)).not.toBeNull();
  });

  it("returns 502 and changes nothing while the bucket is unavailable, unless the bucket already has the bytes", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const bytes = uniquePng();
    for (const bindings of [filesWith({ put: failPut }), filesWith({ head: failPut, put: failPut })]) {
      expect(await problemOf(await upload(email, owner, bytes, { bindings }))).toEqual([502, "storage_error"]);
    }
    expect(await logoOf(email, owner)).toBe("");
    const put = async (...args: Parameters<R2Bucket["put"]>) => {
      await testEnv.FILES.put(...args);
      return failPut();
    };
    expect((await upload(email, owner, bytes, { bindings: filesWith({ put }) })).status).toBe(200);
    expect(await logoOf(email, owner)).toContain(await nameOf(bytes));
  });

  it("leaves either the old or the new logo complete after a kill at any call", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const before = await nameOf(imagesOfTests.png);
    const calls = await killAtEachCall(async (kill) => {
      await upload(email, owner, imagesOfTests.png);
      const bytes = uniquePng();
      const { bindings, calls } = killable({ DB: email.bindings.DB, OBJECTS: testEnv.FILES }, kill);
      const response = await upload(email, owner, bytes, { bindings: { DB: bindings.DB, FILES: bindings.OBJECTS } });
      const [logoName, name] = [(await logoOf(email, owner)).slice(-64), await nameOf(bytes)];
      if (kill === null) expect([response.status, logoName]).toEqual([200, name]);
      else expect([before, name]).toContain(logoName);
      expect(await testEnv.FILES.head(`logos/${logoName}`)).not.toBeNull();
      return calls();
    });
    // The calls are a read and a write of the bucket, and one batch that stores the row and the audit entry.
    expect(calls).toBe(3);
  });

  it("returns 429 before reading the body after 30 uploads of a company in an hour", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const limit = 30;
    for (let sent = 0; sent < limit; sent += 1) expect((await upload(email, owner, "no image")).status).toBe(400);
    const rejected = await upload(email, owner, imagesOfTests.png);
    expect(rejected.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(await problemOf(rejected)).toEqual([429, "rate_limited"]);
  });
});

describe("the deletion of a logo", () => {
  it("clears an external logo URL too, writes one audit entry, and keeps the other fields", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const json = { logo_url: "https://cdn.aster.example/logo.png", primary_color: "#0a5c45" };
    await send(email, owner, { method: "PUT", path: BRANDING, json });
    for (let time = 0; time < 2; time += 1) {
      expect((await send(email, owner, { method: "DELETE", path: PATH })).status).toBe(204);
    }
    const response = await send(email, owner, { method: "GET", path: BRANDING });
    expect(await response.json()).toMatchObject({ logo_url: "", primary_color: "#0a5c45" });
    const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
    expect(entries.map(({ action }) => action)).toEqual(["branding.saved", "branding.logo_removed"]);
  });
});

describe("a stored logo", () => {
  it("is public and immutable, with its own media type and a sandbox policy", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const bytes = uniquePng();
    await upload(email, owner, bytes);
    const path = `/static/logos/${await nameOf(bytes)}`;
    const expected = {
      "content-type": "image/png",
      "content-length": String(bytes.length),
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${await nameOf(bytes)}"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    };
    const headersOf = ({ headers }: Response) =>
      Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]));
    // The first response comes from the bucket, and the others from the cache.
    for (const suffix of ["", "?x=1", "/"]) {
      const response = await email.call(path + suffix);
      expect([response.status, headersOf(response)]).toEqual([200, expected]);
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    }
    const head = await email.call(path, { method: "HEAD" });
    expect([head.status, headersOf(head), (await head.arrayBuffer()).byteLength]).toEqual([200, expected, 0]);
    for (const tag of [expected.etag, `W/${expected.etag}`, '"a", *']) {
      const notModified = await email.call(path, { headers: { "if-none-match": tag } });
      expect([notModified.status, headersOf(notModified)]).toEqual([304, { ...expected, "content-length": null }]);
    }
    const other = await email.call(path, { headers: { "if-none-match": '"another"' } });
    expect(other.status).toBe(200);
  });

  it("is read without the database, and from the bucket only when the cache has no entry", async () => {
    const email = await startEmail();
    const bytes = uniquePng();
    const name = await nameOf(bytes);
    await testEnv.FILES.put(`logos/${name}`, bytes, { httpMetadata: { contentType: "image/png" } });
    const bucketReads: string[] = [];
    const get = (key: string) => {
      bucketReads.push(key);
      return testEnv.FILES.get(key);
    };
    const bindings = filesWith({ get });
    const fetchLogo = async (path: string) => {
      const response = await email.call(`/static/logos/${path}`, { bindings });
      expect(email.acceptTripsOf(response)).toBe(0);
      return [response.status, response.headers.get("cache-control")];
    };
    const missing = [404, "no-store"];
    for (const wrong of ["x", `${name}0`, name.toUpperCase(), `..%2Flogos%2F${name}`, "%00"]) {
      expect([wrong, ...(await fetchLogo(wrong))]).toEqual([wrong, ...missing]);
    }
    expect(bucketReads).toEqual([]);
    const unknown = "0".repeat(64);
    expect(await fetchLogo(unknown)).toEqual(missing);
    for (let time = 0; time < 3; time += 1) expect((await fetchLogo(name))[0]).toBe(200);
    expect(bucketReads).toEqual([`logos/${unknown}`, `logos/${name}`]);
  });

  it("returns 502 without caching while the bucket is unavailable", async () => {
    const email = await startEmail();
    const path = `/static/logos/${await nameOf(uniquePng())}`;
    const response = await email.call(path, { bindings: filesWith({ get: failPut }) });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await problemOf(response)).toEqual([502, "storage_error"]);
  });

  it("appears in the next mail of its company", async () => {
    const mails: { html: string }[] = [];
    vi.stubGlobal("fetch", async (_url: unknown, init: RequestInit = {}) => {
      mails.push(JSON.parse(String(init.body)));
      return Response.json({ id: "prov-1" });
    });
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const bytes = uniquePng();
    await upload(email, owner, bytes);
    const { key } = await createKey();
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) });
    const src = `${PUBLIC}/static/logos/${await nameOf(bytes)}`;
    expect(mails.map(({ html }) => html.includes(`<img src="${src}" alt="Aster Labs"`))).toEqual([true]);
  });
});

import { describe, expect, it } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { restoreAfterEach } from "../../support/restore";
import { freshCompany, readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";

restoreAfterEach();

type Signed = { signedURL: string; signedUrl: string };
type Files = Awaited<ReturnType<typeof startFiles>>;

const HOUR_MS = 3_600_000;
const keyOf = (text: string) => btoa(text.repeat(32));

const sign = ({ storage, member }: Files, path: string, json: object = {}, bucket = "company") =>
  storage.call(`/storage/v1/object/sign/${bucket}/${path}`, { bearer: member, json });

async function signed(files: Files, path: string, json: object = {}): Promise<Signed> {
  const response = await sign(files, path, json);
  expect(response.status).toBe(200);
  return response.json();
}

const open = ({ storage }: Files, url: string, init: RequestInit = {}) => storage.call(`/storage/v1${url}`, init);

it("rejects signed upload URLs as disabled", async () => {
  const { storage, member } = await startFiles();
  const path = "/storage/v1/object/upload/sign/company/a.txt";
  expect(await readError(await storage.call(path, { bearer: member, json: {} }))).toEqual([
    403,
    "signed_upload_disabled",
  ]);
});

describe("signed URLs", () => {
  it("open their object by GET and HEAD without a bearer, and no other path or bucket", async () => {
    const files = await startFiles();
    await files.put("reports/one.txt", "hello");
    await files.put("reports/two.txt", "other");
    const { signedURL, signedUrl } = await signed(files, "reports/one.txt");
    expect(signedURL).toMatch(/^\/object\/sign\/company\/reports\/one\.txt\?token=[\w-]+\.[\w-]{43}$/);
    expect(signedUrl).toBe(`http://storage.localhost/storage/v1${signedURL}`);
    const response = await open(files, signedURL);
    expect([response.status, await response.text()]).toEqual([200, "hello"]);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const head = await open(files, signedURL, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "5"]);
    const other = signedURL.replace("one.txt", "two.txt");
    expect(await readError(await open(files, other))).toEqual([403, "signed_url_invalid"]);
    const elsewhere = signedURL.replace("/company/", "/elsewhere/");
    expect(await readError(await open(files, elsewhere))).toEqual([403, "signed_url_invalid"]);
    for (const method of ["PUT", "DELETE"]) {
      expect((await open(files, signedURL, { method })).status).toBe(401);
    }
  });

  it("make one D1 round trip to sign and one to open, plus one when an open updates the last access", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const before = files.storage.roundTrips();
    const { signedURL } = await signed(files, "a.txt");
    expect(files.storage.roundTrips() - before).toBe(1);
    await open(files, signedURL);
    await open(files, signedURL);
    expect(files.storage.roundTrips() - before).toBe(4);
  });

  it("expire after expiresIn, which a setting limits", async () => {
    const files = await startFiles({ SIGNED_URL_MAX_EXPIRES: "7200" });
    await files.put("a.txt", "1");
    const { signedURL } = await signed(files, "a.txt", { expiresIn: "60" });
    const { signedURL: byDefault } = await signed(files, "a.txt");
    const now = clock.now();
    clock.now = () => now + 58_000;
    expect((await open(files, signedURL)).status).toBe(200);
    clock.now = () => now + 60_000;
    const expired = await open(files, signedURL);
    expect(expired.headers.get("cache-control")).toBe("no-store");
    expect(await readError(expired)).toEqual([403, "signed_url_expired"]);
    expect((await open(files, byDefault)).status).toBe(200);
    clock.now = () => now + HOUR_MS;
    expect(await readError(await open(files, byDefault))).toEqual([403, "signed_url_expired"]);
    clock.now = () => now;
    for (const [expiresIn, code] of [
      [7201, "out_of_range"],
      [0, "out_of_range"],
      [-1, "out_of_range"],
      [1.5, "invalid"],
      ["0", "out_of_range"],
      ["060", "invalid"],
      ["1e3", "invalid"],
    ] as const) {
      const response = await sign(files, "a.txt", { expiresIn });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ field_errors: { expiresIn: [code] } }),
      ]);
    }
  });

  it("are rejected with a changed token, a missing token or an unknown key", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const { signedURL } = await signed(files, "a.txt");
    const [path = "", token = ""] = signedURL.split("?token=");
    const [payload = "", mac = ""] = token.split(".");
    const forged = btoa(atob(payload).replace(/"c":\d+/, '"c":1')).replace(/=+$/, "");
    const malformed = [
      "",
      "x",
      ".",
      "..",
      `${payload}.`,
      `.${mac}`,
      `${token}.`,
      `${token}x`,
      `${payload}.${mac.slice(1)}A`,
      `${forged}.${mac}`,
      `${payload}.${btoa("x".repeat(32))}`,
      "a".repeat(20_000),
      encodeURIComponent("ü.ü"),
    ];
    for (const item of malformed) {
      expect(await readError(await open(files, `${path}?token=${item}`))).toEqual([403, "signed_url_invalid"]);
    }
    expect(await readError(await open(files, path))).toEqual([403, "signed_url_invalid"]);
    const other = await startFiles({ STORAGE_SIGNING_KEY: keyOf("o") });
    expect(await readError(await open(other, signedURL))).toEqual([403, "signed_url_invalid"]);
  });

  it("are accepted when signed with the previous key, and rejected when signed with an unknown key", async () => {
    const old = await startFiles({ STORAGE_SIGNING_KEY: keyOf("o") });
    await old.put("a.txt", "1");
    const { signedURL } = await signed(old, "a.txt");
    const keys = { STORAGE_SIGNING_KEY: keyOf("n"), STORAGE_SIGNING_PREVIOUS_KEY: keyOf("o") };
    const rotated = await startFiles(keys, old);
    expect((await open(rotated, signedURL)).status).toBe(200);
    await rotated.put("b.txt", "2");
    const newUrl = await signed(rotated, "b.txt");
    expect((await open(rotated, newUrl.signedURL)).status).toBe(200);
    expect(await readError(await open(old, newUrl.signedURL))).toEqual([403, "signed_url_invalid"]);
  });

  it("open objects with unusual names, percent-encoded once or twice", async () => {
    const files = await startFiles();
    for (const name of ["a/résumé of 100%25?#&+.txt", "e\u0301te\u0301/日本.txt", "%2e%2e", "plain"]) {
      const encoded = name.split("/").map(encodeURIComponent).join("/");
      expect((await files.put(encoded, name)).status).toBe(200);
      const { signedURL, signedUrl } = await signed(files, encoded);
      for (const url of [signedURL, encodeURI(signedURL), new URL(signedUrl).href.split("/storage/v1")[1] ?? ""]) {
        const response = await open(files, url);
        expect([url, response.status, await response.text()]).toEqual([url, 200, name]);
      }
    }
  });

  it("support ranges, conditional requests and download, and serve the current version", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    const { signedURL } = await signed(files, "a.txt");
    const part = await open(files, signedURL, { headers: { range: "bytes=1-2" } });
    expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "el", "bytes 1-2/5"]);
    const attachment = await open(files, `${signedURL}&download=x%20y.txt`);
    expect(attachment.headers.get("content-disposition")).toContain('attachment; filename="x y.txt"');
    const etag = part.headers.get("etag") ?? "";
    expect((await open(files, signedURL, { headers: { "if-none-match": etag } })).status).toBe(304);
    await files.put("a.txt", "changed", { headers: { "x-upsert": "true" } });
    expect(await (await open(files, signedURL)).text()).toBe("changed");
    await files.get("a.txt", { method: "DELETE" });
    expect(await readError(await open(files, signedURL))).toEqual([404, "object_not_found"]);
  });

  it("are created only by members of the company, and only for existing objects", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    expect(await readError(await sign(files, "none.txt"))).toEqual([404, "object_not_found"]);
    expect(await readError(await sign(files, "a.txt", {}, "none"))).toEqual([404, "bucket_not_found"]);
    expect(await readError(await sign(files, "..%2fa.txt"))).toEqual([400, "validation_failed"]);
    const url = "/storage/v1/object/sign/company/a.txt";
    expect((await files.storage.call(url, { json: {} })).status).toBe(401);
    const stranger = await files.storage.token({ companyId: freshCompany(), userId: 1 });
    expect((await files.storage.call(url, { json: {}, bearer: stranger })).status).toBe(404);
    const readOnly = await files.storage.token({ companyId: files.companyId, pat: { readOnly: true } });
    expect(await readError(await files.storage.call(url, { json: {}, bearer: readOnly }))).toEqual([
      403,
      "pat_read_only",
    ]);
    const empty = await files.storage.call(url, { method: "POST", bearer: files.member });
    expect(empty.status).toBe(200);
  });

  it("begin with PUBLIC_BASE_URL", async () => {
    const files = await startFiles({ PUBLIC_BASE_URL: "https://files.example.com" });
    await files.put("a.txt", "1");
    const { signedURL, signedUrl } = await signed(files, "a.txt");
    expect(signedUrl).toBe(`https://files.example.com/storage/v1${signedURL}`);
  });

  it("are logged without their token", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    const lines: string[] = [];
    const original = console.log;
    console.log = (...parts: unknown[]) => void lines.push(parts.map(String).join(" "));
    const { signedURL } = await signed(files, "a.txt").finally(() => {});
    await open(files, signedURL);
    await open(files, `${signedURL}x`);
    console.log = original;
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join("\n")).not.toContain(signedURL.split("?token=")[1]);
  });
});

describe("signed URLs of a list of paths", () => {
  it("are returned in the order of the paths, with an error for missing objects", async () => {
    const files = await startFiles();
    await files.put("a.txt", "1");
    await files.put("b/c.txt", "2");
    const paths = ["b/c.txt", "none.txt", "/a.txt", "../a.txt", "a.txt"];
    const response = await files.storage.call("/storage/v1/object/sign/company", {
      bearer: files.member,
      json: { expiresIn: 60, paths },
    });
    const list = (await response.json()) as ({ path: string; error: string | null } & Signed)[];
    expect(list.map(({ path }) => path)).toEqual(paths);
    expect(list.map(({ error }) => error)).toEqual([null, "object_not_found", null, "validation_failed", null]);
    expect([list[1]?.signedURL, list[1]?.signedUrl]).toEqual([null, null]);
    for (const token of [list[0], list[2], list[4]])
      expect((await open(files, token?.signedURL ?? "")).status).toBe(200);
  });

  it("are created for 1,000 paths in two round trips, and rejected for 1,001", async () => {
    const files = await startFiles();
    await files.put("deep/file-7.txt", "1");
    const paths = Array.from({ length: 1000 }, (_, i) => `deep/file-${i}.txt`);
    const url = "/storage/v1/object/sign/company";
    const before = files.storage.roundTrips();
    const response = await files.storage.call(url, { bearer: files.member, json: { paths } });
    // One round trip reads the bucket, the other reads all objects.
    expect(files.storage.roundTrips() - before).toBe(2);
    const list = (await response.json()) as { signedURL: string | null }[];
    expect(list.filter(({ signedURL }) => signedURL !== null)).toHaveLength(1);
    expect(list).toHaveLength(1000);
    const tooMany = await files.storage.call(url, { bearer: files.member, json: { paths: [...paths, "x"] } });
    expect(await tooMany.json()).toMatchObject({
      error_code: "validation_failed",
      field_errors: { paths: ["too_many"] },
    });
    const empty = await files.storage.call(url, { bearer: files.member, json: { paths: [] } });
    expect([empty.status, await empty.json()]).toEqual([200, []]);
    for (const [json, fields] of [
      [{}, { paths: ["required"] }],
      [{ paths: "a" }, { paths: ["invalid"] }],
      [{ paths: [1] }, { "paths.0": ["invalid"] }],
    ] as const) {
      const rejection = await files.storage.call(url, { bearer: files.member, json });
      expect([rejection.status, await rejection.json()]).toEqual([
        400,
        expect.objectContaining({ field_errors: fields }),
      ]);
    }
  });
});

import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { storage_objects } from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { restoreAfterEach } from "../../support/restore";
import { freshCompany, readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { readRows, updateRows } from "../../support/webhooks/rows";

restoreAfterEach();

type Files = Awaited<ReturnType<typeof startFiles>>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const ETAG = '"5d41402abc4b2a76b9719d911017c592"';

async function startWithObject() {
  const files = await startFiles();
  await files.put("a.txt", "hello");
  return files;
}

const findRow = async ({ companyId }: Files) =>
  (await readRows(storage_objects, eq(storage_objects.company_id, companyId)))[0];

describe("downloads", () => {
  it("returns the headers of the object at either route, in at most two round trips", async () => {
    const files = await startWithObject();
    const before = files.storage.roundTrips();
    const response = await files.get("a.txt");
    expect(files.storage.roundTrips() - before).toBe(2);
    const { updated_at } = (await findRow(files)) ?? { updated_at: 0 };
    const headers = {
      "content-type": "text/plain",
      "content-length": "5",
      "accept-ranges": "bytes",
      "content-disposition": "inline",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
      "x-object-version": "1",
      etag: ETAG,
      "last-modified": new Date(updated_at).toUTCString(),
    };
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.text()).toBe("hello");
    const other = await files.storage.call("/storage/v1/object/authenticated/company/a.txt", { bearer: files.member });
    expect([other.status, await other.text()]).toEqual([200, "hello"]);
    const head = await files.get("a.txt", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Object.fromEntries(head.headers)).toMatchObject(headers);
  });

  it.each([
    ["bytes=0-0", 206, "h", "bytes 0-0/5"],
    ["bytes=1-3", 206, "ell", "bytes 1-3/5"],
    ["bytes=1-", 206, "ello", "bytes 1-4/5"],
    ["bytes=3-99", 206, "lo", "bytes 3-4/5"],
    ["bytes=-2", 206, "lo", "bytes 3-4/5"],
    ["bytes=-99", 206, "hello", "bytes 0-4/5"],
    ["BYTES=0-1", 206, "he", "bytes 0-1/5"],
    ["bytes=5-", 416, "", "bytes */5"],
    ["bytes=-0", 416, "", "bytes */5"],
    ["bytes=99-100", 416, "", "bytes */5"],
    ["bytes=3-1", 200, "hello", null],
    ["bytes=0-1,3-4", 200, "hello", null],
    ["bytes=-", 200, "hello", null],
    ["bytes=a-b", 200, "hello", null],
    ["items=0-1", 200, "hello", null],
    ["bytes=99999999999999999999-", 416, "", "bytes */5"],
    ["bytes=1-9999999999999999", 206, "ello", "bytes 1-4/5"],
    [`bytes=1-${"9".repeat(400)}`, 206, "ello", "bytes 1-4/5"],
    ["bytes=-9999999999999999", 206, "hello", "bytes 0-4/5"],
    [`bytes=-${"9".repeat(400)}`, 206, "hello", "bytes 0-4/5"],
  ])("responds to the range %s with the status %i", async (range, status, text, contentRange) => {
    const files = await startWithObject();
    const response = await files.get("a.txt", { headers: { range } });
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange]);
    if (status === 416) expect(await readError(response)).toEqual([416, "range_not_satisfiable"]);
    else expect([response.headers.get("content-length"), await response.text()]).toEqual([String(text.length), text]);
  });

  it("checks If-Range before a range, and ignores ranges for HEAD", async () => {
    const files = await startWithObject();
    const modified = (await files.get("a.txt")).headers.get("last-modified") ?? "";
    for (const [condition, status] of [
      [ETAG, 206],
      ['"other"', 200],
      [`W/${ETAG}`, 200],
      [modified, 200],
      [new Date(0).toUTCString(), 200],
      ["nonsense", 200],
    ] as const) {
      const response = await files.get("a.txt", { headers: { range: "bytes=1-2", "if-range": condition } });
      expect([condition, response.status]).toEqual([condition, status]);
    }
    // Last-Modified has a resolution of one second, so it identifies a version only after that second has passed.
    const old = new Date(Date.parse(modified) - MINUTE_MS - 1000);
    const isCompany = eq(storage_objects.company_id, files.companyId);
    await updateRows(storage_objects, { updated_at: old.getTime() + 999 }, isCompany);
    for (const [ifRange, status] of [
      [old.toUTCString(), 206],
      [modified, 200],
    ] as const) {
      const response = await files.get("a.txt", { headers: { range: "bytes=1-2", "if-range": ifRange } });
      expect([ifRange, response.status]).toEqual([ifRange, status]);
    }
    const head = await files.get("a.txt", { method: "HEAD", headers: { range: "bytes=1-2" } });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "5"]);
    await files.put("empty.txt", "");
    expect((await files.get("empty.txt", { headers: { range: "bytes=0-" } })).status).toBe(416);
  });

  it("returns 304 without a body when the client has the current version", async () => {
    const files = await startWithObject();
    const modified = (await files.get("a.txt")).headers.get("last-modified") ?? "";
    const old = new Date(Date.parse(modified) - 1000).toUTCString();
    for (const [headers, status] of [
      [{ "if-none-match": ETAG }, 304],
      [{ "if-none-match": `W/${ETAG}` }, 304],
      [{ "if-none-match": `"a", ${ETAG}` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": '"a"' }, 200],
      [{ "if-none-match": '"a"', "if-modified-since": modified }, 200],
      [{ "if-none-match": ETAG, "if-modified-since": old }, 304],
      [{ "if-modified-since": modified }, 304],
      [{ "if-modified-since": old }, 200],
      [{ "if-modified-since": "nonsense" }, 200],
    ] as const) {
      const response = await files.get("a.txt", { headers: { ...headers } });
      expect([headers, response.status]).toEqual([headers, status]);
      if (status === 304) expect([response.headers.get("etag"), await response.text()]).toEqual([ETAG, ""]);
    }
  });

  it("does not return 304 for an older object that was moved to the path", async () => {
    const files = await startWithObject();
    await files.put("b.txt", "other");
    const isCompany = eq(storage_objects.company_id, files.companyId);
    await updateRows(
      storage_objects,
      { updated_at: 1000 },
      and(isCompany, eq(storage_objects.name, "b.txt")) ?? isCompany,
    );
    const lastModified = (await files.get("a.txt")).headers.get("last-modified") ?? "";
    const json = { bucketId: "company", sourceKey: "b.txt", destinationKey: "a.txt" };
    const moved = await files.storage.call("/storage/v1/object/move", {
      bearer: files.member,
      headers: { "x-upsert": "true" },
      json,
    });
    expect(moved.status).toBe(200);
    const response = await files.get("a.txt", { headers: { "if-modified-since": lastModified } });
    expect([response.status, await response.text()]).toEqual([200, "other"]);
  });

  it.each([
    ["download", "attachment; filename=\"a.txt\"; filename*=UTF-8''a.txt"],
    ["download=", "attachment; filename=\"a.txt\"; filename*=UTF-8''a.txt"],
    ["download=b%20c.txt", "attachment; filename=\"b c.txt\"; filename*=UTF-8''b%20c.txt"],
    [
      "download=%22r%C3%A9s%C3%BCm%C3%A9%22%5C%2F;%20x%27.txt",
      "attachment; filename=\"_r_s_m____; x'.txt\"; filename*=UTF-8''%22r%C3%A9s%C3%BCm%C3%A9%22__%3B%20x%27.txt",
    ],
    ["download=a%0D%0AX-Evil:%201", "attachment; filename=\"a__X-Evil: 1\"; filename*=UTF-8''a__X-Evil%3A%201"],
    ["download=a%E2%80%AEtxt.exe", "attachment; filename=\"a_txt.exe\"; filename*=UTF-8''a_txt.exe"],
    ["download=%25C3%259C%2520b.txt", "attachment; filename=\"_ b.txt\"; filename*=UTF-8''%C3%9C%20b.txt"],
    ["download=a%252Fb.txt", "attachment; filename=\"a_b.txt\"; filename*=UTF-8''a_b.txt"],
    ["download=50%25.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"],
    ["download=%25FF.txt", "attachment; filename=\"_FF.txt\"; filename*=UTF-8''%25FF.txt"],
    ["download=%25C3%259C+%252B.txt", "attachment; filename=\"_ +.txt\"; filename*=UTF-8''%C3%9C%20%2B.txt"],
    ["download=%C3%9C%2541.txt", "attachment; filename=\"__41.txt\"; filename*=UTF-8''%C3%9C%2541.txt"],
  ])("returns an attachment with ?%s", async (query, disposition) => {
    const files = await startWithObject();
    const response = await files.get(`a.txt?${query}`);
    expect([response.status, response.headers.get("content-disposition")]).toEqual([200, disposition]);
  });

  it.each([
    "audio/wav",
    "video/mp4",
    'video/mp4; codecs="avc1.42E01E, mp4a.40.2"',
    "image/png",
    "application/pdf",
    "text/plain",
    "TEXT/PLAIN; charset=utf-8",
  ])("lets any site show and play %s, even in a frame", async (type) => {
    const files = await startFiles();
    await files.put("file", "x", { headers: { "content-type": type } });
    const response = await files.get("file");
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("content-security-policy")).toBe("script-src 'none'");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    for (const name of ["x-frame-options", "cross-origin-resource-policy"])
      expect(response.headers.get(name)).toBeNull();
  });

  it("sandboxes an object with an invalid stored type", async () => {
    const files = await startWithObject();
    const type = "text/plain;a=b, text/html";
    await updateRows(storage_objects, { mime_type: type }, eq(storage_objects.company_id, files.companyId));
    expect((await files.get("a.txt")).headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  });

  it.each(["%ED%A0%80", "%FF", "%", "%F0%9F%98%80".repeat(300)])(
    "returns 200 for the unusual download name %s",
    async (name) => {
      const files = await startWithObject();
      const response = await files.get(`a.txt?download=${name}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-disposition")?.length).toBeLessThan(4000);
    },
  );

  it.each([
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "application/xml",
    "text/xml; charset=utf-8",
    "multipart/x-mixed-replace; boundary=x",
    "audio/a+xml",
    "text/a_b+xml",
    "text/csv",
    "application/zip",
  ])("sandboxes %s and lets other origins read it", async (type) => {
    const files = await startFiles();
    await files.put("page", "<script>1</script>", { headers: { "content-type": type } });
    const response = await files.get("page", { headers: { origin: "https://app.example.com", accept: "text/html" } });
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("ETag");
  });

  it("streams a complete version with its own ETag while the object is replaced", async () => {
    const files = await startFiles();
    const old = new Uint8Array(3_000_000).fill(1);
    const stored = await files.put("a.bin", old);
    const streaming = await files.storage.call("/storage/v1/object/company/a.bin", {
      bearer: files.member,
      isStream: true,
    });
    const reader = (streaming.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect((await files.put("a.bin", new Uint8Array(1000).fill(2), { method: "PUT" })).status).toBe(200);
    let length = first.value?.length ?? 0;
    let isOld = first.value?.every((byte) => byte === 1);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      isOld &&= next.value.every((byte) => byte === 1);
    }
    await files.storage.settle();
    expect([length, isOld, streaming.headers.get("etag")]).toEqual([old.length, true, stored.headers.get("etag")]);
    expect((await files.get("a.bin")).headers.get("content-length")).toBe("1000");
  });

  it("updates the time of the last access at most once a day", async () => {
    const files = await startWithObject();
    expect((await findRow(files))?.last_accessed_at).toBeNull();
    await files.get("a.txt", { headers: { "if-none-match": ETAG } });
    await files.get("a.txt", { method: "HEAD" });
    expect((await findRow(files))?.last_accessed_at).toBeNull();
    await files.get("a.txt");
    const first = (await findRow(files))?.last_accessed_at ?? 0;
    expect(first).toBeGreaterThan(0);
    const before = files.storage.roundTrips();
    await files.get("a.txt");
    expect(files.storage.roundTrips() - before).toBe(1);
    expect((await findRow(files))?.last_accessed_at).toBe(first);
    const isCompany = eq(storage_objects.company_id, files.companyId);
    await updateRows(storage_objects, { last_accessed_at: clock.now() - DAY_MS }, isCompany);
    await files.get("a.txt", { headers: { range: "bytes=0-0" } });
    expect((await findRow(files))?.last_accessed_at).toBeGreaterThanOrEqual(first);
  });

  it("rejects missing objects, other companies and requests without a bearer", async () => {
    const files = await startWithObject();
    expect(await readError(await files.get("b.txt"))).toEqual([404, "object_not_found"]);
    expect(await readError(await files.get("a.txt", { bucket: "none" }))).toEqual([404, "bucket_not_found"]);
    const stranger = await files.storage.token({ companyId: freshCompany(), userId: 9 });
    expect((await files.get("a.txt", { bearer: stranger })).status).toBe(404);
    const staff = await files.storage.token({ companyId: freshCompany(), isStaff: true, userId: 9 });
    expect((await files.get(`a.txt?company_id=${files.companyId}`, { bearer: staff })).status).toBe(404);
    const bare = await files.storage.call("/storage/v1/object/company/a.txt");
    expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    for (const method of ["GET", "HEAD"]) {
      const open = await files.storage.call("/storage/v1/object/public/company/a.txt", { method });
      expect(open.status).toBe(403);
    }
    expect(await readError(await files.storage.call("/storage/v1/object/public/company/a.txt"))).toEqual([
      403,
      "public_download_disabled",
    ]);
  });
});

describe("paths", () => {
  const MAX = ["a".repeat(255), "b".repeat(255), "c".repeat(255), "d".repeat(255), ""].join("/").slice(0, -1);

  it.each([
    ["..%2fa.txt", 400],
    ["x/..%2f..%2fa.txt", 400],
    ["%2e%2e%2fa.txt", 400],
    ["..%5ca.txt", 400],
    ["a%00.txt", 400],
    ["a%0a.txt", 400],
    ["a%7f.txt", 400],
    ["%C3", 400],
    ["%ED%A0%80", 400],
    ["%zz", 400],
    ["%", 400],
    ["%2f", 400],
    ["%2f%2e%2f", 400],
    ["%E2%80%A8", 400],
    ["e".repeat(256), 400],
    [`${MAX}/x`, 400],
    ["%252e%252e%252fa.txt", 404],
    ["%2500", 404],
    ["A.TXT", 404],
    ["a.txt%20", 404],
  ])("returns an error for the invalid or unknown path %s", async (path, status) => {
    const files = await startWithObject();
    expect((await files.get(path)).status).toBe(status);
    if (status === 400) {
      expect(await readError(await files.put(path, "x"))).toEqual([400, "validation_failed"]);
      expect((await files.get(path, { method: "DELETE" })).status).toBe(400);
    }
  });

  it.each([
    ["cafe%CC%81/a", "caf%C3%A9/a"],
    ["/x//y/", "x/y"],
    ["x%5cy", "x/y"],
    ["./x/./y", "x/y"],
    ["x%2Fy", "x/y"],
    ["%252e%252e", "%25%32e%252e"],
    ["a+b c", "a%2Bb%20c"],
    ["%F0%9F%98%80", "😀"],
    [MAX, MAX],
    ["sign", "sign"],
    ["public", "public"],
    ["__proto__/constructor", "__proto__/constructor"],
  ])("stores one object for both spellings of a path: %s", async (path, other) => {
    const files = await startFiles();
    expect((await files.put(path, "x")).status).toBe(200);
    expect((await files.get(other)).status).toBe(200);
    expect(await readError(await files.put(other, "y"))).toEqual([400, "resource_already_exists"]);
    expect((await files.get(other, { method: "DELETE" })).status).toBe(200);
  });

  it("returns a client error, never 500, for invalid bucket names", async () => {
    const files = await startWithObject();
    for (const bucket of ["..%2f", "%00", "%C3", "a".repeat(3000), "sign", "list", "info", "COMPANY", "co%6Dpany%2F"]) {
      const status = (await files.get("a.txt", { bucket })).status;
      expect([bucket, [400, 401, 403, 404].includes(status)]).toEqual([bucket, true]);
      const stored = (await files.put("a.txt", "x", { bucket })).status;
      expect([bucket, [400, 401, 403, 404].includes(stored)]).toEqual([bucket, true]);
    }
    expect((await files.get("a.txt", { bucket: "co%6Dpany" })).status).toBe(200);
  });
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { event_log, storage_buckets, storage_objects, upload_hours } from "../../../db/storage/schema";
import { freshCompany, readError } from "../../support/sibling/sibling";
import { readCounters, settledCounters } from "../../support/storage/figures";
import { startFiles } from "../../support/storage/files";
import { readRows, updateRows } from "../../support/webhooks/rows";

type Files = Awaited<ReturnType<typeof startFiles>>;

const HOUR_MS = 3_600_000;
const MD5 = { hex: "5d41402abc4b2a76b9719d911017c592", base64: "XUFAKrxLKna5cZ2REBfFkg==" };
const SHA256 = {
  hex: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
  base64: "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
};
const wrongChecksums = { md5: btoa("x".repeat(16)), sha256: btoa("x".repeat(32)) };

const findRow = async ({ companyId }: Files, name: string) =>
  (await readRows(storage_objects, eq(storage_objects.company_id, companyId))).find((row) => row.name === name);

const eventsOf = async ({ companyId }: Files) =>
  (await readRows(event_log, eq(event_log.company_id, companyId))).filter(({ event_type }) =>
    event_type.startsWith("storage.object."),
  );

describe("checksums of an upload", () => {
  it.each([
    ["Content-MD5", { "content-md5": MD5.base64 }],
    ["x-checksum-sha256 in hex", { "x-checksum-sha256": SHA256.hex.toUpperCase() }],
    ["x-checksum-sha256 in base64", { "x-checksum-sha256": SHA256.base64 }],
    ["both headers", { "content-md5": MD5.base64, "x-checksum-sha256": SHA256.hex }],
  ])("accepts a correct checksum: %s", async (_description, headers) => {
    const files = await startFiles();
    const stored = await files.put("a.txt", "hello", { headers: { ...headers } });
    expect([stored.status, stored.headers.get("etag")]).toEqual([200, `"${MD5.hex}"`]);
    const sha256 = "x-checksum-sha256" in headers ? SHA256.hex : null;
    expect(await findRow(files, "a.txt")).toMatchObject({ sha256 });
  });

  it.each([
    ["Content-MD5", { "content-md5": wrongChecksums.md5 }],
    ["x-checksum-sha256", { "x-checksum-sha256": wrongChecksums.sha256 }],
    [
      "both headers, of which Content-MD5 is wrong",
      { "content-md5": wrongChecksums.md5, "x-checksum-sha256": SHA256.hex },
    ],
    [
      "both headers, of which x-checksum-sha256 is wrong",
      { "content-md5": MD5.base64, "x-checksum-sha256": wrongChecksums.sha256 },
    ],
  ])("rejects a wrong checksum and stores nothing: %s", async (_description, headers) => {
    const files = await startFiles();
    expect(await readError(await files.put("a.txt", "hello", { headers: { ...headers } }))).toEqual([
      400,
      "checksum_mismatch",
    ]);
    const streamed = await files.storage.call("/storage/v1/object/company/b.txt", {
      method: "POST",
      bearer: files.member,
      headers: { ...headers },
      body: new Response("hello").body,
      ...({ duplex: "half" } as object),
    });
    expect(await readError(streamed)).toEqual([400, "checksum_mismatch"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
  });

  it.each([
    ["content-md5", "nonsense"],
    ["content-md5", SHA256.base64],
    ["x-checksum-sha256", MD5.base64],
    ["x-checksum-sha256", "zz".repeat(32)],
    ["x-checksum-sha256", ""],
  ])("rejects a malformed checksum: %s", async (header, value) => {
    const files = await startFiles();
    const response = await files.put("a.txt", "hello", { headers: { [header]: value } });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error_code: "validation_failed", field_errors: { [header]: ["invalid"] } }),
    ]);
  });
});

describe("conditional uploads", () => {
  it("creates only new objects with If-None-Match: *, and replaces only the version in If-Match", async () => {
    const files = await startFiles();
    const put = (headers: Record<string, string>, text = "hello") =>
      files.put("a.txt", text, { method: "PUT", headers });
    expect(await readError(await put({ "if-match": `"${MD5.hex}"` }))).toEqual([412, "precondition_failed"]);
    expect(await readError(await put({ "if-match": "*" }))).toEqual([412, "precondition_failed"]);
    expect((await put({ "if-none-match": "*" })).status).toBe(200);
    expect(await readError(await put({ "if-none-match": "*" }))).toEqual([412, "precondition_failed"]);
    expect(await readError(await put({ "if-none-match": `"${MD5.hex}"` }))).toEqual([412, "precondition_failed"]);
    expect(await readError(await put({ "if-match": '"other"' }))).toEqual([412, "precondition_failed"]);
    expect((await put({ "if-match": `"other", "${MD5.hex}"` }, "two")).headers.get("x-object-version")).toBe("2");
    expect((await put({ "if-match": "*" }, "three")).headers.get("x-object-version")).toBe("3");
    const tag = (await files.get("a.txt")).headers.get("etag") ?? "";
    expect((await put({ "if-match": `W/${tag}` }, "four")).headers.get("x-object-version")).toBe("4");
    const post = { headers: { "if-none-match": "*" } };
    expect(await readError(await files.put("a.txt", "x", post))).toEqual([400, "resource_already_exists"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(4, 1));
  });
});

describe("conditional deletions", () => {
  it("deletes only the version in If-Match, with its event and its bytes", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    const remove = (ifMatch: string, path = "a.txt") =>
      files.get(path, { method: "DELETE", headers: { "if-match": ifMatch } });
    for (const other of ['"zz"', "zz", MD5.hex, "", '"zz", "%"']) {
      expect(await readError(await remove(other))).toEqual([412, "precondition_failed"]);
    }
    expect(await readError(await remove("*", "none.txt"))).toEqual([412, "precondition_failed"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(5, 1));
    expect(await eventsOf(files)).toHaveLength(1);
    expect((await remove(`"zz", W/"${MD5.hex}"`)).status).toBe(200);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
    expect(await eventsOf(files)).toHaveLength(2);
    await files.put("b.txt", "hello");
    expect((await remove("*", "b.txt")).status).toBe(200);
  });

  it("accepts only one of a parallel replacement and deletion of the same version", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    const headers = { "if-match": `"${MD5.hex}"` };
    const [replaced, removed] = await Promise.all([
      files.put("a.txt", "other", { method: "PUT", headers }),
      files.get("a.txt", { method: "DELETE", headers }),
    ]);
    expect([replaced.status, removed.status].sort()).toEqual([200, 412]);
    expect(await readCounters(files.companyId)).toEqual(
      replaced.status === 200 ? settledCounters(5, 1) : settledCounters(0, 0),
    );
  });
});

it("rejects a deletion of several objects with the index of the invalid path, and deletes nothing", async () => {
  const files = await startFiles();
  await files.put("a.txt", "hello");
  for (const field of ["prefixes", "paths"]) {
    const response = await files.storage.call("/storage/v1/object/company", {
      method: "DELETE",
      bearer: files.member,
      json: { [field]: ["a.txt", "../x"] },
    });
    expect(await response.json()).toMatchObject({ field_errors: { [`${field}.1`]: ["invalid"] } });
  }
  expect(await readCounters(files.companyId)).toEqual(settledCounters(5, 1));
});

describe("Idempotency-Key", () => {
  it("returns the first result for the same user and path within a day, while that version is current", async () => {
    const files = await startFiles();
    const headers = { "idempotency-key": "k".repeat(128) };
    const first = await files.put("a.txt", "hello", { headers });
    const replayed = await files.put("a.txt", "other bytes", { headers });
    expect([replayed.status, replayed.headers.get("idempotent-replay"), replayed.headers.get("etag")]).toEqual([
      200,
      "true",
      first.headers.get("etag"),
    ]);
    expect(await replayed.json()).toEqual(await first.json());
    expect(first.headers.get("idempotent-replay")).toBeNull();
    expect(await readError(await files.put("a.txt", "x", { headers, bearer: files.owner }))).toEqual([
      400,
      "resource_already_exists",
    ]);
    expect((await files.put("b.txt", "x", { headers })).headers.get("idempotent-replay")).toBeNull();
    await files.put("a.txt", "two", { method: "PUT" });
    expect(await readError(await files.put("a.txt", "hello", { headers }))).toEqual([400, "resource_already_exists"]);
    expect(await eventsOf(files)).toHaveLength(3);
  });

  it("stores a new version for the same key after a day", async () => {
    const files = await startFiles();
    const put = (key: string) => files.put("a.txt", "hello", { method: "PUT", headers: { "idempotency-key": key } });
    await put("a");
    await updateRows(
      storage_objects,
      { updated_at: Date.now() - 24 * HOUR_MS },
      eq(storage_objects.company_id, files.companyId),
    );
    const replayed = await put("a");
    expect([replayed.headers.get("idempotent-replay"), replayed.headers.get("x-object-version")]).toEqual([null, "2"]);
  });

  it.each(["", "x".repeat(129), "a b", "é"])("rejects a malformed key: %j", async (key) => {
    const files = await startFiles();
    const response = await files.put("a.txt", "hello", { headers: { "idempotency-key": key } });
    expect(await readError(response)).toEqual([400, "validation_failed"]);
  });
});

describe("metadata of an upload", () => {
  it.each([
    ["JSON", '{"a":[1]}'],
    ["base64 of JSON", btoa('{"a":[1]}')],
  ])("accepts x-metadata as %s", async (_description, text) => {
    const files = await startFiles();
    const headers = { "x-metadata": text, "cache-control": "max-age=60" };
    expect((await files.put("a.txt", "hello", { headers })).status).toBe(200);
    expect(await findRow(files, "a.txt")).toMatchObject({ metadata: { a: [1] }, cache_control: "max-age=60" });
  });

  it.each([
    ["x-metadata", "[1]"],
    ["x-metadata", "1"],
    ["x-metadata", "{"],
    ["x-metadata", btoa("[]")],
    ["x-metadata", JSON.stringify({ a: "x".repeat(8192) })],
    ["x-metadata", btoa(unescape(encodeURIComponent(JSON.stringify({ a: "é".repeat(4096) }))))],
    ["cache-control", "x".repeat(201)],
  ])("rejects upload metadata with an invalid %s", async (header, text) => {
    const files = await startFiles();
    const response = await files.put("a.txt", "hello", { headers: { [header]: text } });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ field_errors: { [header]: ["invalid"] } }),
    ]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
  });

  it.each([
    ["playlist.m3u8", undefined, "application/vnd.apple.mpegurl"],
    ["a.constructor", undefined, "application/octet-stream"],
    ["a.PNG", undefined, "image/png"],
    ["a.png", "application/octet-stream", "image/png"],
    ["a.png", "text/css; charset=utf-8", "text/css; charset=utf-8"],
    ["a.png", "no type", "image/png"],
    ["a.png", "text/plain;a=b, text/html", "image/png"],
    ["a.png", 'text/plain; a="", text/html', "image/png"],
    ["a.png", 'text/plain; a="b', "image/png"],
    ["a.png", `text/plain; a=${"b".repeat(500)}`, "image/png"],
    ["a.png", 'video/mp4; codecs="avc1.42E01E, mp4a.40.2" ; a=b;', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2" ; a=b;'],
    ["noending", undefined, "application/octet-stream"],
    ["a.unknown", undefined, "application/octet-stream"],
    ["folder.png/b", undefined, "application/octet-stream"],
  ])("stores %s sent with the content type %s as %s", async (path, type, expected) => {
    const files = await startFiles();
    await files.put(path, "x", { headers: type === undefined ? {} : { "content-type": type } });
    expect((await files.get(path)).headers.get("content-type")).toBe(expected);
  });

  it("emits an event and counts an upload for a folder marker with content, but not for an empty one", async () => {
    const files = await startFiles();
    expect((await files.put("new/.emptyFolderPlaceholder", "")).status).toBe(200);
    expect(await eventsOf(files)).toEqual([]);
    expect(await readRows(upload_hours, eq(upload_hours.company_id, files.companyId))).toEqual([]);
    await files.put("new/.emptyFolderPlaceholder", "x", { method: "PUT" });
    expect((await eventsOf(files)).map(({ event_type }) => event_type)).toEqual(["storage.object.uploaded"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(1, 1));
  });

  it("emits an event with the stored object, the actor and whether the object is new", async () => {
    const files = await startFiles();
    await files.put("a/b.txt", "hello");
    await files.put("a/b.txt", "hello world", { method: "PUT", bearer: files.owner });
    const events = await eventsOf(files);
    expect(events.map(({ user_id, data }) => ({ user_id, ...(JSON.parse(String(data)) as object) }))).toEqual([
      {
        user_id: files.memberId,
        bucket_name: "company",
        bucket_kind: "company",
        path: "a/b.txt",
        size: 5,
        mime_type: "text/plain",
        version: 1,
        created: true,
        object_id: expect.any(String),
      },
      expect.objectContaining({ user_id: files.ownerId, size: 11, version: 2, created: false }),
    ]);
    expect(await readRows(upload_hours, eq(upload_hours.company_id, files.companyId))).toMatchObject([
      { uploads: 2, bytes: 16 },
    ]);
  });
});

describe("limits of a bucket", () => {
  it("checks existence, type and size of an upload in this order, and stores nothing of a rejected upload", async () => {
    const files = await startFiles();
    await files.put("a.txt", "x");
    await updateRows(
      storage_buckets,
      { file_size_limit: 10, allowed_mime_types: ["image/*", "text/plain"] },
      eq(storage_buckets.company_id, files.companyId),
    );
    expect(await readError(await files.put("a.txt", "x".repeat(11)))).toEqual([400, "resource_already_exists"]);
    expect(await readError(await files.put("a.pdf", "x".repeat(11)))).toEqual([415, "invalid_mime_type"]);
    expect(await readError(await files.put("a.png", "x".repeat(11)))).toEqual([413, "payload_too_large"]);
    expect((await files.put("a.png", "x".repeat(10))).status).toBe(200);
    const headersWithList = { headers: { "content-type": "text/plain;a=b, text/html" } };
    expect(await readError(await files.put("b", "x", headersWithList))).toEqual([415, "invalid_mime_type"]);
    const typed = { headers: { "content-type": "text/plain; charset=utf-8" } };
    expect((await files.put("b", "x", typed)).status).toBe(200);
    const streamed = await files.storage.call("/storage/v1/object/company/c.png", {
      method: "POST",
      bearer: files.member,
      body: new Response("x".repeat(11)).body,
      ...({ duplex: "half" } as object),
    });
    expect(await readError(streamed)).toEqual([413, "payload_too_large"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(12, 3));
  });
});

describe("upload permissions", () => {
  it("lets only members with a writable token upload", async () => {
    const files = await startFiles();
    const { storage, companyId } = files;
    await files.put("a.txt", "x");
    expect((await storage.call("/storage/v1/object/company/a.txt", { method: "POST", body: "x" })).status).toBe(401);
    const readOnly = await storage.token({ companyId, pat: { readOnly: true } });
    expect(await readError(await files.put("b.txt", "x", { bearer: readOnly }))).toEqual([403, "pat_read_only"]);
    expect((await files.get("a.txt", { bearer: readOnly })).status).toBe(200);
    expect(await readError(await files.put("b.txt", "x", { bucket: "none" }))).toEqual([404, "bucket_not_found"]);
    const stranger = await storage.token({ companyId: freshCompany(), userId: 3 });
    expect((await files.put("a.txt", "theirs", { bearer: stranger })).status).toBe(200);
    expect(await (await files.get("a.txt")).text()).toBe("x");
  });
});

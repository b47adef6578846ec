import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { event_log, storage_buckets, storage_uploads } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { bytesOf, digestOf, multipartClient, PART, readLedger, settledLedger } from "../../support/storage/uploads";
import { readRows, updateRows } from "../../support/webhooks/rows";

async function start(vars?: Parameters<typeof startFiles>[0]) {
  const files = await startFiles(vars);
  return { ...files, ...multipartClient(files) };
}

const readFieldErrors = async (response: Response) => [
  response.status,
  ((await response.json()) as { field_errors?: object }).field_errors,
];

describe("multipart uploads", () => {
  it("creates an object from parts that were sent in any order", async () => {
    const { openUpload, send, complete, state, get, companyId } = await start();
    const bytes = bytesOf(2 * PART + 1000);
    const opening = { size: bytes.length, mime_type: "video/mp4", metadata: { camera: "A" }, cache_control: "60" };
    const id = await openUpload("videos/talk.bin", opening);
    expect(await readLedger(companyId)).toMatchObject({ used: 0, reserved: bytes.length, reservations: 1 });
    const parts = [bytes.subarray(2 * PART), bytes.subarray(0, PART), bytes.subarray(PART, 2 * PART)];
    for (const [index, part] of [3, 1, 2].entries()) {
      const sent = await send(id, part, parts[index] ?? bytes);
      expect([sent.status, await sent.json()]).toEqual([200, { part, size: parts[index]?.length }]);
    }
    expect(await (await state(id)).json()).toEqual({
      id,
      bucket: "company",
      path: "videos/talk.bin",
      size: bytes.length,
      part_size: PART,
      part_count: 3,
      parts: [1, 2, 3],
      received_bytes: bytes.length,
      expires_at: expect.any(String),
      completed_at: null,
    });
    const done = await complete(id);
    expect([done.status, await done.json()]).toEqual([200, { Id: expect.any(String), Key: "company/videos/talk.bin" }]);
    expect(done.headers.get("etag")).toMatch(/^"[^"]+-3"$/);
    expect(done.headers.get("x-object-version")).toBe("1");
    const response = await get("videos/talk.bin");
    expect([response.headers.get("content-type"), response.headers.get("etag")]).toEqual([
      "video/mp4",
      done.headers.get("etag"),
    ]);
    expect(await digestOf(await response.arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, bytes.length));
    const events = await readRows(event_log, eq(event_log.company_id, companyId));
    expect(events.filter(({ event_type }) => event_type === "storage.object.uploaded")).toHaveLength(1);
  });

  it("accepts object paths that equal path segments of other routes", async () => {
    const { storage, member, put, get, openUpload, send, complete, state } = await start();
    const words = ["complete", "resumable", "sign", "list", "list-v2", "copy", "move", "info", "id", "link", "public"];
    const paths = [...words, "authenticated", "prefix", "upload", "object", "1", "empty", crypto.randomUUID()];
    for (const path of [...paths, "complete/complete", "a/complete"]) {
      const id = await openUpload(path, { size: 1 });
      expect(await (await state(id)).json()).toMatchObject({ bucket: "company", path });
      await send(id, 1, bytesOf(1));
      expect((await complete(id)).status, path).toBe(200);
      expect((await put(path, "ab", { method: "PUT" })).status, path).toBe(200);
      expect(await (await get(path)).text(), path).toBe("ab");
      const call = async (route: string, init: object = {}) =>
        (await storage.call(`/storage/v1/${route}/company/${path}`, { bearer: member, ...init })).status;
      expect([
        await call("object/info"),
        await call("object/authenticated"),
        await call("object", { method: "HEAD" }),
        await call("object/sign", { json: {} }),
        await call("share", { json: { max_downloads: 1 } }),
        await call("share"),
        await call("object", { method: "DELETE" }),
      ]).toEqual([200, 200, 200, 200, 201, 200, 200]);
    }
  });

  it("makes three round trips to open an upload, two for a part and two to complete it", async () => {
    const { storage, open, send, complete, put } = await start();
    await put("first.txt", "1");
    const countRoundTrips = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
      const before = storage.roundTrips();
      return [await work(), storage.roundTrips() - before];
    };
    const [response, opening] = await countRoundTrips(() => open("a.bin", { size: 10 }));
    const { id } = (await response.json()) as { id: string };
    const [, part] = await countRoundTrips(() => send(id, 1, bytesOf(10)));
    const [, completion] = await countRoundTrips(() => complete(id));
    expect([opening, part, completion]).toEqual([3, 2, 2]);
  });

  it("accepts parallel parts and the same part twice", async () => {
    const { openUpload, send, complete, get, companyId } = await start();
    const bytes = bytesOf(3 * PART, 7);
    const id = await openUpload("a.bin", { size: bytes.length });
    expect((await send(id, 2, bytesOf(PART, 99))).status).toBe(200);
    const sent = await Promise.all(
      [1, 2, 3].map((part) => send(id, part, bytes.subarray((part - 1) * PART, part * PART))),
    );
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await complete(id)).status).toBe(200);
    expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, bytes.length));
  });

  it("completes an upload of zero bytes without a part", async () => {
    const { openUpload, complete, get, companyId } = await start();
    const id = await openUpload("nothing.txt", { size: 0 });
    expect((await complete(id)).status).toBe(200);
    const response = await get("nothing.txt");
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 0));
  });

  it("returns the first result for a repeated completion, even after an overwrite", async () => {
    const { openUpload, send, complete, put, get, companyId, state, cancel } = await start();
    const id = await openUpload("a.txt", { size: 3 });
    await send(id, 1, bytesOf(3));
    const first = await complete(id);
    expect((await put("a.txt", "another", { method: "PUT" })).status).toBe(200);
    const second = await complete(id);
    expect([second.status, await second.json()]).toEqual([200, await first.json()]);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(second.headers.get("x-object-version")).toBe("1");
    expect(await (await get("a.txt")).text()).toBe("another");
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 7));
    expect(await (await state(id)).json()).toMatchObject({ parts: [1], completed_at: expect.any(String) });
    expect(await readError(await send(id, 1, bytesOf(3)))).toEqual([404, "upload_not_found"]);
    expect(await readError(await cancel(id))).toEqual([404, "upload_not_found"]);
  });

  it("creates one version under parallel completions", async () => {
    const { openUpload, send, complete, companyId } = await start();
    const id = await openUpload("a.txt", { size: 3 });
    await send(id, 1, bytesOf(3));
    const done = await Promise.all([complete(id), complete(id), complete(id)]);
    expect(done.map((completion) => [completion.status, completion.headers.get("x-object-version")])).toEqual(
      Array(3).fill([200, "1"]),
    );
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 3));
  });

  it("replaces an object only with x-upsert, even one that was created during the upload", async () => {
    const { open, openUpload, send, complete, put, get, companyId } = await start();
    await put("a.txt", "before");
    expect(await readError(await open("a.txt", { size: 3 }))).toEqual([400, "resource_already_exists"]);
    expect(
      await readError(await open("a.txt", { size: 3 }, { headers: { "x-upsert": "true", "if-match": '"x"' } })),
    ).toEqual([412, "precondition_failed"]);
    const overwrite = await openUpload("a.txt", { size: 3 }, { headers: { "x-upsert": "true" } });
    const newUpload = await openUpload("b.txt", { size: 4 });
    await send(overwrite, 1, bytesOf(3));
    await send(newUpload, 1, bytesOf(4, 5));
    await put("a.txt", "in between", { method: "PUT" });
    await put("b.txt", "in between");
    expect((await complete(overwrite)).headers.get("x-object-version")).toBe("3");
    expect(await readError(await complete(newUpload))).toEqual([400, "resource_already_exists"]);
    expect(await (await get("b.txt")).text()).toBe("in between");
    const done = await complete(newUpload, { headers: { "x-upsert": "true" } });
    expect(done.headers.get("x-object-version")).toBe("2");
    expect(await readLedger(companyId)).toEqual(settledLedger(2, 7));
  });

  it("keeps an object that was created during an upload with If-None-Match: *", async () => {
    const { openUpload, send, complete, put, get } = await start();
    const id = await openUpload("a.txt", { size: 3 }, { headers: { "x-upsert": "true", "if-none-match": "*" } });
    await send(id, 1, bytesOf(3));
    await put("a.txt", "first");
    expect(await readError(await complete(id))).toEqual([400, "resource_already_exists"]);
    expect(await (await get("a.txt")).text()).toBe("first");
  });

  it("keeps the counters exact when uploads complete during overwrites of the same path", async () => {
    const { openUpload, send, complete, put, companyId } = await start();
    const headers = { "x-upsert": "true" };
    const ids = await Promise.all([1, 2].map(() => openUpload("a.bin", { size: 100 }, { headers })));
    await Promise.all(ids.map((id, index) => send(id, 1, bytesOf(100, index + 1))));
    const done = await Promise.all([
      ...ids.map((id) => complete(id)),
      ...[10, 20, 30].map((size) => put("a.bin", bytesOf(size), { method: "PUT" })),
    ]);
    expect(done.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const ledger = await readLedger(companyId);
    expect(ledger).toEqual(settledLedger(1, ledger.stored));
  });
});

describe("rejected requests of multipart uploads", () => {
  it.each([
    ["without a size", {}, { size: ["required"] }],
    ["of a fractional size", { size: 0.5 }, { size: ["invalid"] }],
    ["of a size that is a string", { size: "5" }, { size: ["invalid"] }],
    ["of a negative size", { size: -1 }, { size: ["out_of_range"] }],
    ["of a size above the safe integers", { size: 1e300 }, { size: ["invalid"] }],
    ["with a list as metadata", { size: 1, metadata: [] }, { metadata: ["invalid"] }],
    ["with too much metadata", { size: 1, metadata: { a: "x".repeat(9000) } }, { metadata: ["invalid"] }],
    ["with a line break in cache_control", { size: 1, cache_control: "a\nb" }, { cache_control: ["invalid"] }],
  ])("opens no upload %s", async (_description, body, fields) => {
    const { open } = await start();
    expect(await readFieldErrors(await open("a.bin", body))).toEqual([400, fields]);
  });

  it("rejects a missing bucket, an invalid path, and a media type or size that the bucket does not allow", async () => {
    const { open, companyId, put } = await start();
    expect(await readError(await open("a.bin", { size: 1 }, { bucket: "no-such" }))).toEqual([404, "bucket_not_found"]);
    expect(await readFieldErrors(await open("a%2f..%2fb", { size: 1 }))).toEqual([400, { path: ["invalid"] }]);
    await put("a.txt", "1");
    await updateRows(
      storage_buckets,
      { file_size_limit: 1000, allowed_mime_types: ["image/*"] },
      eq(storage_buckets.company_id, companyId),
    );
    expect(await readError(await open("b.txt", { size: 1 }))).toEqual([415, "invalid_mime_type"]);
    expect(await readError(await open("b.png", { size: 1001 }))).toEqual([413, "payload_too_large"]);
    expect((await open("b.png", { size: 1000 })).status).toBe(201);
  });

  it("rejects sizes above the largest object, and uses larger parts for more than 10,000 parts of 8 MiB", async () => {
    const largest = 10_000 * 32 * 2 ** 20;
    const { open } = await start({ MAX_UPLOAD_BYTES: String(largest), DEFAULT_COMPANY_QUOTA_BYTES: "2T" });
    expect(await readError(await open("a.bin", { size: largest + 1 }))).toEqual([413, "payload_too_large"]);
    expect(await (await open("a.bin", { size: largest })).json()).toMatchObject({
      part_size: 32 * 2 ** 20,
      part_count: 10_000,
    });
    const bytes = 100 * 2 ** 30;
    expect(await (await open("b.bin", { size: bytes })).json()).toMatchObject({
      part_size: 11 * 2 ** 20,
      part_count: Math.ceil(bytes / (11 * 2 ** 20)),
    });
  });

  it("accepts parts that are larger than the limit of a single request", async () => {
    const { openUpload, send, complete, put } = await start({ MAX_SINGLE_UPLOAD_BYTES: "1K" });
    const bytes = bytesOf(PART + 10);
    const response = await put("a.bin", bytes.subarray(0, 1025));
    expect([response.status, await response.json()]).toMatchObject([413, { use_multipart: true }]);
    const id = await openUpload("a.bin", { size: bytes.length });
    expect((await send(id, 1, bytes.subarray(0, PART))).status).toBe(200);
    expect((await send(id, 2, bytes.subarray(PART))).status).toBe(200);
    expect((await complete(id)).status).toBe(200);
  });

  it("rejects parts of a wrong size, number or length", async () => {
    const { openUpload, send, storage, member, state } = await start({ MAX_SINGLE_UPLOAD_BYTES: "9M" });
    const id = await openUpload("a.bin", { size: PART + 10 });
    expect(await readError(await send(id, 1, bytesOf(PART - 1)))).toEqual([400, "size_mismatch"]);
    expect(await readError(await send(id, 2, bytesOf(11)))).toEqual([400, "size_mismatch"]);
    expect(await readError(await send(id, 1, bytesOf(PART + 2 ** 21)))).toEqual([400, "size_mismatch"]);
    const large = { headers: { "content-length": String(4 * PART + 1) } };
    expect(await readError(await send(id, 1, bytesOf(10), large))).toEqual([413, "payload_too_large"]);
    expect(await readFieldErrors(await send(id, 3, bytesOf(10)))).toEqual([400, { part: ["out_of_range"] }]);
    for (const part of ["0", "x", "-1", "1e3"]) {
      expect(await readError(await send(id, part, bytesOf(10)))).toEqual([404, "upload_not_found"]);
    }
    const streamed = await storage.call(`/storage/v1/upload/${id}/2`, {
      method: "PUT",
      bearer: member,
      body: new Blob([bytesOf(10) as BlobPart]).stream(),
    });
    expect(await readFieldErrors(streamed)).toEqual([400, { "content-length": ["required"] }]);
    const short = await send(id, 2, bytesOf(9), { headers: { "content-length": "10" } });
    expect(await readError(short)).toEqual([400, "incomplete_body"]);
    const mismatch = await send(id, 2, bytesOf(10), { headers: { "x-checksum-sha256": "0".repeat(64) } });
    expect(await readError(mismatch)).toEqual([400, "checksum_mismatch"]);
    expect(await (await state(id)).json()).toMatchObject({ parts: [], received_bytes: 0 });
    const correctChecksum = { "x-checksum-sha256": await digestOf(bytesOf(10)) };
    expect((await send(id, 2, bytesOf(10), { headers: correctChecksum })).status).toBe(200);
  });

  it("rejects a completion while parts are missing and lists up to 100 of them", async () => {
    const { openUpload, send, complete } = await start();
    const id = await openUpload("a.bin", { size: 120 * PART });
    await send(id, 2, bytesOf(PART));
    const response = await complete(id);
    const { error_code, missing } = (await response.json()) as { error_code: string; missing: number[] };
    expect([response.status, error_code, missing.length]).toEqual([409, "upload_incomplete", 100]);
    expect(missing.slice(0, 3)).toEqual([1, 3, 4]);
  });

  it("returns 404 for uploads of others and for ended or unknown uploads", async () => {
    const { openUpload, send, state, complete, cancel, owner, storage } = await start();
    const id = await openUpload("a.bin", { size: 3 });
    const elsewhere = await storage.token({ companyId: 5, userId: 5 });
    const requests = [
      (id: string, bearer?: string) => send(id, 1, bytesOf(3), bearer ? { bearer } : {}),
      (id: string, bearer?: string) => state(id, bearer ? { bearer } : {}),
      (id: string, bearer?: string) => complete(id, bearer ? { bearer } : {}),
      (id: string, bearer?: string) => cancel(id, bearer ? { bearer } : {}),
    ];
    for (const request of requests) {
      for (const response of [request(id, owner), request(id, elsewhere), request(crypto.randomUUID())]) {
        expect(await readError(await response)).toEqual([404, "upload_not_found"]);
      }
      // When the value is no id, the router reads the path as /upload/<bucket>/<path>.
      const code = request === requests[2] ? "bucket_not_found" : "upload_not_found";
      expect(await readError(await request("x"))).toEqual([404, code]);
    }
    await updateRows(storage_uploads, { expires_at: Date.now() - 1 }, eq(storage_uploads.id, id));
    for (const request of requests) expect(await readError(await request(id))).toEqual([404, "upload_not_found"]);
  });
});

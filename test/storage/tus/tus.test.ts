import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, storage_blobs } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { cutBody, metadataOf, resumable, tusClient } from "../../support/storage/resumable";
import { bytesOf, digestOf, PART, readLedger, settledLedger } from "../../support/storage/uploads";
import { readRows } from "../../support/webhooks/rows";

async function start(vars?: Parameters<typeof startFiles>[0]) {
  const files = await startFiles(vars);
  return { ...files, ...tusClient(files) };
}

const statusAndOffset = (response: Response) => [response.status, Number(response.headers.get("upload-offset"))];

describe("resumable uploads", () => {
  it("creates an object with its metadata after the last byte", async () => {
    const { create, patch, head, get, companyId } = await start();
    const values = { contentType: "video/mp4", cacheControl: "3600", metadata: JSON.stringify({ camera: "A" }) };
    const bytes = bytesOf(1000);
    const created = await create("videos/Ä talk.bin", 1000, { values });
    expect(created.status).toBe(201);
    const id = /^resumable\/([0-9a-f-]{36})$/.exec(created.headers.get("location") ?? "")?.[1] ?? "";
    expect(created.headers.get("tus-resumable")).toBe("1.0.0");
    expect(Date.parse(created.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await readLedger(companyId)).toMatchObject({ reserved: 1000, reservations: 1 });
    expect(statusAndOffset(await patch(id, 0, bytes.subarray(0, 400)))).toEqual([204, 400]);
    const state = await head(id);
    expect(statusAndOffset(state)).toEqual([200, 400]);
    expect(state.headers.get("upload-length")).toBe("1000");
    expect(state.headers.get("cache-control")).toBe("no-store");
    expect(state.headers.get("upload-metadata")).toBe(
      metadataOf({ bucketName: "company", objectName: "videos/Ä talk.bin", ...values }),
    );
    const last = await patch(id, 400, bytes.subarray(400));
    expect(statusAndOffset(last)).toEqual([204, 1000]);
    const response = await get("videos/Ä talk.bin");
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(response.headers.get("etag")).toBe(last.headers.get("etag"));
    expect(response.headers.get("etag")).toMatch(/-1"$/);
    expect(await digestOf(await response.arrayBuffer())).toBe(await digestOf(bytes));
    expect(statusAndOffset(await head(id))).toEqual([200, 1000]);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 1000));
  });

  it("accepts requests of any size and fills R2 parts across them", async () => {
    const { createUpload, patch, get, companyId, storage } = await start();
    const bytes = bytesOf(2 * PART + 3 * 2 ** 20, 9);
    const id = await createUpload("a.bin", bytes.length);
    const sizes = [3 * 2 ** 20, 1, PART - 1, 2 ** 20, PART + 5];
    let position = 0;
    for (const size of [...sizes, bytes.length]) {
      const piece = bytes.subarray(position, Math.min(position + size, bytes.length));
      position += piece.length;
      expect(statusAndOffset(await patch(id, position - piece.length, piece))).toEqual([204, position]);
    }
    expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, bytes.length));
    // Every tail in the bucket has a row. The sweep deletes tails whose rows have no references.
    const { objects } = await storage.bindings.OBJECTS.list({ prefix: `${companyId}/` });
    expect(objects.map(({ size }) => size)).toContain(bytes.length);
    const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
    for (const { key } of objects) expect(blobs.map((blob) => blob.key)).toContain(key);
    expect(blobs.filter(({ refs }) => refs > 0)).toHaveLength(1);
  });

  it("keeps the received bytes when the connection is lost", async () => {
    const { createUpload, patch, offset, get, companyId } = await start();
    const bytes = bytesOf(PART + 500_000, 4);
    const id = await createUpload("a.bin", bytes.length);
    await patch(id, 0, cutBody(bytes.subarray(0, 300_000)));
    expect(await offset(id)).toBe(300_000);
    await patch(id, 300_000, cutBody(bytes.subarray(300_000, PART + 100_000)));
    expect(await offset(id)).toBe(PART + 100_000);
    await patch(id, PART + 100_000, cutBody(new Uint8Array()));
    expect(await offset(id)).toBe(PART + 100_000);
    expect(statusAndOffset(await patch(id, PART + 100_000, bytes.subarray(PART + 100_000)))).toEqual([
      204,
      bytes.length,
    ]);
    expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, bytes.length));
  });

  it("accepts a creation with the first bytes, with all bytes or without bytes", async () => {
    const { create, patch, get, companyId } = await start();
    const part = await create("a.txt", 6, { body: new TextEncoder().encode("abc") });
    expect(statusAndOffset(part)).toEqual([201, 3]);
    const id = part.headers.get("location")?.split("/").at(-1) ?? "";
    expect(statusAndOffset(await patch(id, 3, new TextEncoder().encode("def")))).toEqual([204, 6]);
    expect(statusAndOffset(await create("b.txt", 3, { body: new TextEncoder().encode("abc") }))).toEqual([201, 3]);
    expect(statusAndOffset(await create("c.txt", 0))).toEqual([201, 0]);
    for (const [path, text] of [
      ["a.txt", "abcdef"],
      ["b.txt", "abc"],
      ["c.txt", ""],
    ] as const) {
      expect(await (await get(path)).text()).toBe(text);
    }
    expect(await readLedger(companyId)).toEqual(settledLedger(3, 9));
  });

  it("aborts an upload when its creation request loses the connection, because the client has no Location", async () => {
    const { create, companyId, put } = await start();
    await put("first.txt", "1");
    await create("a.bin", 10, { body: cutBody(bytesOf(5)) });
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 1));
  });

  it("accepts a deferred length and reserves bytes as they arrive", async () => {
    const { createUpload, patch, head, get, companyId } = await start({ DEFAULT_COMPANY_QUOTA_BYTES: "1000" });
    const bytes = bytesOf(1000);
    const id = await createUpload("a.bin", null);
    expect(await readLedger(companyId)).toMatchObject({ reserved: 0 });
    await patch(id, 0, bytes.subarray(0, 300));
    expect(await readLedger(companyId)).toMatchObject({ reserved: 300, userReserved: 300 });
    const response = await head(id);
    expect([response.headers.get("upload-defer-length"), response.headers.get("upload-length")]).toEqual(["1", null]);
    expect(await readError(await patch(id, 300, bytesOf(701)))).toEqual([413, "company_quota_exceeded"]);
    await patch(id, 300, bytes.subarray(300));
    expect(statusAndOffset(await head(id))).toEqual([200, 1000]);
    const reported = await patch(id, 1000, null, { headers: { "upload-length": "1000" } });
    expect(statusAndOffset(reported)).toEqual([204, 1000]);
    expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 1000));
  });

  it.each([
    ["declared", 1000],
    ["deferred", null],
  ])(
    "rejects the last byte until it fits the quota when the object to overwrite has been moved (%s length)",
    async (_description, size) => {
      const { createUpload, patch, offset, put, get, storage, member, companyId } = await start({
        DEFAULT_COMPANY_QUOTA_BYTES: "1000",
      });
      await put("a.bin", bytesOf(1000));
      const id = await createUpload("a.bin", size, { headers: { "x-upsert": "true" } });
      const bytes = bytesOf(1000, 7);
      await patch(id, 0, bytes.subarray(0, 400));
      const json = { bucketId: "company", sourceKey: "a.bin", destinationKey: "b.bin" };
      expect((await storage.call("/storage/v1/object/move", { bearer: member, json })).status).toBe(200);
      const sendRest = () => patch(id, 400, bytes.subarray(400), { headers: { "upload-length": "1000" } });
      expect(await readError(await sendRest())).toEqual([413, "company_quota_exceeded"]);
      expect(await offset(id)).toBe(400);
      expect(await readLedger(companyId)).toMatchObject({ used: 1000, stored: 1000, reserved: 0 });
      await get("b.bin", { method: "DELETE" });
      expect(statusAndOffset(await sendRest())).toEqual([204, 1000]);
      expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
      expect(await readLedger(companyId)).toEqual(settledLedger(1, 1000));
    },
  );

  it("rejects a deferred length above the largest object, and reserves no bytes", async () => {
    const { createUpload, patch, companyId, put } = await start({ MAX_UPLOAD_BYTES: "1000" });
    await put("first.txt", "1");
    const id = await createUpload("a.bin", null);
    const response = await patch(id, 0, bytesOf(10), { headers: { "upload-length": "1001" } });
    expect(await readError(response)).toEqual([413, "payload_too_large"]);
    expect(await readLedger(companyId)).toMatchObject({ used: 1, reserved: 0 });
    expect((await patch(id, 0, bytesOf(10), { headers: { "upload-length": "10" } })).status).toBe(204);
  });

  it("aborts an upload by DELETE and releases its bytes", async () => {
    const { createUpload, patch, terminate, head, companyId, put } = await start();
    await put("first.txt", "1");
    const id = await createUpload("a.bin", 100);
    await patch(id, 0, bytesOf(50));
    const response = await terminate(id);
    expect([response.status, response.headers.get("tus-resumable")]).toEqual([204, "1.0.0"]);
    expect((await head(id)).status).toBe(404);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 1));
    const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
    expect(blobs.map(({ refs }) => refs).toSorted()).toEqual([0, 0, 1]);
  });

  it("accepts PATCH and DELETE as POST with X-HTTP-Method-Override", async () => {
    const { createUpload, storage, member, head } = await start();
    const id = await createUpload("a.bin", 10);
    const post = (headers: Record<string, string>, body: Uint8Array | null) =>
      storage.call(`${resumable}/${id}`, {
        method: "POST",
        bearer: member,
        headers: { "tus-resumable": "1.0.0", ...headers },
        ...(body === null ? {} : { body: body as BodyInit }),
      });
    const type = { "content-type": "application/offset+octet-stream", "upload-offset": "0" };
    expect(statusAndOffset(await post({ ...type, "x-http-method-override": "PATCH" }, bytesOf(4)))).toEqual([204, 4]);
    expect(await readError(await post(type, bytesOf(4)))).toEqual([405, "method_not_allowed"]);
    expect((await post({ "x-http-method-override": "DELETE" }, null)).status).toBe(204);
    expect((await head(id)).status).toBe(404);
  });

  it("returns the state of an upload as JSON by GET", async () => {
    const { createUpload, storage, member } = await start();
    const id = await createUpload("a.bin", 10);
    const response = await storage.call(`${resumable}/${id}`, { bearer: member });
    expect(await response.json()).toMatchObject({ id, bucket: "company", path: "a.bin", size: 10, offset: 0 });
  });
});

describe("checksums of resumable uploads", () => {
  const checksum = async (bytes: Uint8Array, algorithm: string, name: string) => {
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes as BufferSource));
    return { "upload-checksum": `${name} ${btoa(String.fromCharCode(...digest))}` };
  };

  it("moves the offset across several parts when the checksum matches", async () => {
    const { createUpload, patch, get, companyId } = await start();
    const bytes = bytesOf(2 * PART + 100);
    const id = await createUpload("a.bin", bytes.length);
    const [first, rest] = [bytes.subarray(0, 2 * PART + 10), bytes.subarray(2 * PART + 10)];
    const headers = await checksum(first, "SHA-1", "sha1");
    expect(statusAndOffset(await patch(id, 0, first, { headers }))).toEqual([204, first.length]);
    const last = await checksum(rest, "SHA-256", "sha256");
    expect(statusAndOffset(await patch(id, first.length, rest, { headers: last }))).toEqual([204, bytes.length]);
    expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
    expect(await readLedger(companyId)).toEqual(settledLedger(1, bytes.length));
  });

  it("returns 460 for a wrong checksum, and also discards the bytes of an incomplete request with a checksum", async () => {
    const { createUpload, patch, offset } = await start();
    const bytes = bytesOf(PART + 100);
    const id = await createUpload("a.bin", bytes.length);
    await patch(id, 0, bytes.subarray(0, 50));
    const headers = await checksum(bytes, "SHA-1", "sha1");
    expect(await readError(await patch(id, 50, bytes.subarray(50), { headers }))).toEqual([460, "checksum_mismatch"]);
    expect(await offset(id)).toBe(50);
    await patch(id, 50, cutBody(bytes.subarray(50, 80)), { headers });
    expect(await offset(id)).toBe(50);
    const rightHeaders = await checksum(bytes.subarray(50), "SHA-1", "sha1");
    expect(statusAndOffset(await patch(id, 50, bytes.subarray(50), { headers: rightHeaders }))).toEqual([
      204,
      bytes.length,
    ]);
  });

  it.each(["sha1", "crc32 AAAA", "sha1 ?", "sha1  AAAA"])("rejects the malformed checksum %j", async (text) => {
    const { createUpload, patch } = await start();
    const id = await createUpload("a.bin", 10);
    expect((await patch(id, 0, bytesOf(5), { headers: { "upload-checksum": text } })).status).toBe(400);
  });
});

describe("a fully received upload", () => {
  it("accepts an empty PATCH at its end, and rejects bytes at an earlier offset", async () => {
    const { createUpload, patch, companyId } = await start();
    const id = await createUpload("a.bin", 10);
    await patch(id, 0, bytesOf(10));
    expect(statusAndOffset(await patch(id, 10, new Uint8Array()))).toEqual([204, 10]);
    expect(await readError(await patch(id, 0, bytesOf(10)))).toEqual([409, "upload_offset_mismatch"]);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 10));
  });

  it("does not report the full offset while another object is at its path", async () => {
    const { createUpload, patch, offset, put, companyId, storage, member } = await start();
    const id = await createUpload("a.bin", 10);
    await patch(id, 0, bytesOf(4));
    await put("a.bin", "in between");
    expect(await readError(await patch(id, 4, bytesOf(6)))).toEqual([400, "resource_already_exists"]);
    expect(await offset(id)).toBe(4);
    await storage.call("/storage/v1/object/company/a.bin", { method: "DELETE", bearer: member });
    expect(statusAndOffset(await patch(id, 4, bytesOf(6)))).toEqual([204, 10]);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 10));
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 10 },
    ]);
  });
});

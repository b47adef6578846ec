import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { storage_uploads } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { metadataOf, resumable, tusClient } from "../../support/storage/resumable";
import { bytesOf } from "../../support/storage/uploads";
import { updateRows } from "../../support/webhooks/rows";

async function start(vars?: Parameters<typeof startFiles>[0]) {
  const files = await startFiles(vars);
  return { ...files, ...tusClient(files) };
}

const statusAndOffset = (response: Response) => [response.status, Number(response.headers.get("upload-offset"))];

describe("rejected requests of resumable uploads", () => {
  it("returns 412 with the supported TUS version when another version or none is requested", async () => {
    const { create, head, createUpload } = await start();
    const id = await createUpload("a.bin", 10);
    for (const version of ["0.2.2", undefined]) {
      const headers = { "tus-resumable": version };
      const response = await create("b.bin", 10, { headers });
      expect(await readError(response)).toEqual([412, "tus_version_not_supported"]);
      expect([response.headers.get("tus-version"), response.headers.get("tus-resumable")]).toEqual(["1.0.0", "1.0.0"]);
      expect((await head(id, { headers })).status).toBe(412);
    }
  });

  it("rejects requests without a token or with a read-only token", async () => {
    const { create, patch, terminate, head, createUpload, storage, companyId, memberId } = await start();
    const id = await createUpload("a.bin", 10);
    const readOnly = await storage.token({ companyId, userId: memberId, pat: { readOnly: true } });
    for (const [bearer, refusal] of [
      ["none", [401, "unauthorized"]],
      [readOnly, [403, "pat_read_only"]],
    ] as const) {
      for (const pending of [
        create("b.bin", 1, { bearer }),
        patch(id, 0, bytesOf(1), { bearer }),
        terminate(id, { bearer }),
      ]) {
        expect(await readError(await pending)).toEqual(refusal);
      }
    }
    expect((await head(id, { bearer: "none" })).status).toBe(401);
    expect((await head(id, { bearer: readOnly })).status).toBe(200);
  });

  it.each([
    ["no length", { "upload-length": undefined }, "upload-length"],
    ["an invalid length", { "upload-length": "1.5" }, "upload-length"],
    ["a length and a deferred length", { "upload-defer-length": "1" }, "upload-defer-length"],
    ["an invalid deferral", { "upload-length": undefined, "upload-defer-length": "2" }, "upload-defer-length"],
    ["metadata that is not base64", { "upload-metadata": "bucketName ?" }, "upload-metadata"],
    ["a repeated metadata key", { "upload-metadata": "a YQ==,a YQ==" }, "upload-metadata"],
    ["no bucket", { "upload-metadata": metadataOf({ objectName: "a" }) }, "bucketName"],
    ["no object name", { "upload-metadata": metadataOf({ bucketName: "company" }) }, "objectName"],
    [
      "an object name outside the bucket",
      { "upload-metadata": metadataOf({ bucketName: "company", objectName: "../a" }) },
      "objectName",
    ],
    [
      "object metadata that is not JSON",
      { "upload-metadata": metadataOf({ bucketName: "company", objectName: "a", metadata: "{" }) },
      "metadata",
    ],
  ])("rejects a creation with %s", async (_description, headers, field) => {
    const { create } = await start();
    const response = await create("a.bin", 10, { headers });
    expect([response.status, Object.keys(((await response.json()) as { field_errors: object }).field_errors)]).toEqual([
      400,
      [field],
    ]);
    expect(response.headers.get("tus-resumable")).toBe("1.0.0");
  });

  it("rejects a missing bucket, an existing object, and sizes above the limit or the quota", async () => {
    const { create, put } = await start({ MAX_UPLOAD_BYTES: "2000", DEFAULT_COMPANY_QUOTA_BYTES: "1000" });
    await put("a.bin", "1");
    expect(await readError(await create("b.bin", 1, { values: { bucketName: "other" } }))).toEqual([
      404,
      "bucket_not_found",
    ]);
    expect(await readError(await create("a.bin", 1))).toEqual([400, "resource_already_exists"]);
    expect((await create("a.bin", 1, { headers: { "x-upsert": "true" } })).status).toBe(201);
    expect(await readError(await create("b.bin", 2001))).toEqual([413, "payload_too_large"]);
    expect(await readError(await create("b.bin", 1001))).toEqual([413, "company_quota_exceeded"]);
  });

  it("keeps an object that was created during an upload with If-None-Match: *, and rejects ETag conditions", async () => {
    const { create, createUpload, patch, put, get } = await start();
    const headers = { "x-upsert": "true", "if-none-match": "*" };
    const id = await createUpload("a.txt", 6, { headers });
    await put("a.txt", "first");
    const last = await patch(id, 0, new TextEncoder().encode("second"));
    expect(await readError(last)).toEqual([400, "resource_already_exists"]);
    expect(await (await get("a.txt")).text()).toBe("first");
    for (const name of ["if-match", "if-none-match"]) {
      const response = await create("b.txt", 6, { headers: { "x-upsert": "true", [name]: '"x"' } });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { field_errors: { [name]: ["not_supported"] } },
      ]);
    }
  });

  it("rejects bytes at another offset, of another media type or beyond the size", async () => {
    const { createUpload, patch, offset } = await start({ MAX_SINGLE_UPLOAD_BYTES: "50" });
    const id = await createUpload("a.bin", 10);
    await patch(id, 0, bytesOf(4));
    for (const wrongOffset of [0, 3, 5, 10]) {
      expect(await readError(await patch(id, wrongOffset, bytesOf(4)))).toEqual([409, "upload_offset_mismatch"]);
    }
    const type = { "content-type": "application/octet-stream" };
    expect(await readError(await patch(id, 4, bytesOf(4), { headers: type }))).toEqual([415, "unsupported_media_type"]);
    expect(await readError(await patch(id, 4, bytesOf(7)))).toEqual([400, "size_mismatch"]);
    expect(await readError(await patch(id, 4, new Blob([bytesOf(7) as BlobPart]).stream()))).toEqual([
      400,
      "size_mismatch",
    ]);
    expect(await readError(await patch(id, 4, bytesOf(51)))).toEqual([413, "payload_too_large"]);
    expect((await patch(id, 4, bytesOf(1), { headers: { "upload-offset": "x" } })).status).toBe(400);
    expect(await readError(await patch(id, 4, bytesOf(1), { headers: { "upload-length": "11" } }))).toEqual([
      400,
      "size_mismatch",
    ]);
    expect(await offset(id)).toBe(4);
  });

  it("returns 423 until the lease of another request expires", async () => {
    const { createUpload, patch } = await start();
    const id = await createUpload("a.bin", 10);
    const lock = (locked_until: number) =>
      updateRows(storage_uploads, { locked_until, lock_token: "another" }, eq(storage_uploads.id, id));
    await lock(Date.now() + 60_000);
    expect(await readError(await patch(id, 0, bytesOf(4)))).toEqual([423, "upload_locked"]);
    await lock(Date.now() - 1);
    expect(statusAndOffset(await patch(id, 0, bytesOf(4)))).toEqual([204, 4]);
  });

  it("delays HEAD until the bytes of a running PATCH are stored", async () => {
    const { createUpload, head } = await start();
    const id = await createUpload("a.bin", 10);
    const updateUpload = (values: object) => updateRows(storage_uploads, values, eq(storage_uploads.id, id));
    await updateUpload({ locked_until: Date.now() + 60_000, lock_token: "another" });
    const pending = head(id);
    await updateUpload({ received: 4, locked_until: null, lock_token: null });
    expect(statusAndOffset(await pending)).toEqual([200, 4]);
  });

  it("returns 404 for uploads of another user or protocol, and for ended or unknown uploads", async () => {
    const { createUpload, head, patch, terminate, owner, storage, member, put } = await start();
    await put("a.txt", "1");
    const id = await createUpload("a.bin", 10);
    const opened = await storage.call("/storage/v1/upload/company/b.bin", { bearer: member, json: { size: 1 } });
    const other = ((await opened.json()) as { id: string }).id;
    const options = { bearer: owner };
    for (const pending of [
      head(id, options),
      patch(id, 0, bytesOf(1), options),
      terminate(id, options),
      head(other),
      patch(other, 0, bytesOf(1)),
      head("x"),
      head(crypto.randomUUID()),
    ]) {
      expect((await pending).status).toBe(404);
    }
    await updateRows(storage_uploads, { expires_at: Date.now() - 1 }, eq(storage_uploads.id, id));
    expect((await head(id)).status).toBe(404);
    expect((await patch(id, 0, bytesOf(1))).status).toBe(404);
  });

  it("returns the TUS features for OPTIONS without a credential, with CORS headers", async () => {
    const { storage } = await start({ MAX_UPLOAD_BYTES: "1M" });
    for (const path of [resumable, `${resumable}/${crypto.randomUUID()}`]) {
      const reported = await storage.call(path, { method: "OPTIONS" });
      expect(reported.status).toBe(204);
      expect(Object.fromEntries(reported.headers)).toMatchObject({
        "tus-version": "1.0.0",
        "tus-extension": "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum",
        "tus-max-size": "1048576",
        "tus-checksum-algorithm": "md5,sha1,sha256",
      });
      const preflightHeaders = { origin: "https://app.example.com", "access-control-request-method": "PATCH" };
      const preflight = await storage.call(path, { method: "OPTIONS", headers: preflightHeaders });
      expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
      expect(preflight.headers.get("access-control-allow-headers")).toContain("Upload-Offset");
    }
  });
});

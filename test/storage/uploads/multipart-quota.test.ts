import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, storage_blobs, user_quotas } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { objectsWith } from "../../support/storage/objects-double";
import { testEnv } from "../../support/storage/storage";
import { bytesOf, digestOf, multipartClient, readLedger, settledLedger } from "../../support/storage/uploads";
import { readRows, updateRows } from "../../support/webhooks/rows";

async function start(vars?: Parameters<typeof startFiles>[0]) {
  const files = await startFiles(vars);
  return { ...files, ...multipartClient(files) };
}

describe("quotas of multipart uploads", () => {
  it("reserves the size until the upload is aborted, and counts only stored objects afterwards", async () => {
    const { openUpload, open, send, cancel, put, companyId } = await start({ DEFAULT_COMPANY_QUOTA_BYTES: "100" });
    const id = await openUpload("a.bin", { size: 90 });
    const response = await open("b.bin", { size: 11 });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error_code: "company_quota_exceeded", quota: { scope: "company", max_bytes: 100, remaining_bytes: 10 } },
    ]);
    expect((await put("c.bin", bytesOf(10))).status).toBe(200);
    await send(id, 1, bytesOf(90));
    expect((await cancel(id)).status).toBe(204);
    expect(await readError(await cancel(id))).toEqual([404, "upload_not_found"]);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 10));
    expect((await put("d.bin", bytesOf(90))).status).toBe(200);
  });

  it("reserves the size of an upload in the user's quota", async () => {
    const { openUpload, open, companyId, put } = await start();
    await put("a.txt", "12345");
    await updateRows(user_quotas, { max_bytes: 50 }, eq(user_quotas.company_id, companyId));
    await openUpload("b.bin", { size: 45 });
    expect(await readError(await open("c.bin", { size: 1 }))).toEqual([413, "user_quota_exceeded"]);
  });

  it("charges the growth over the current object when an upload completes", async () => {
    const { openUpload, send, complete, put, owner, companyId } = await start();
    await put("a.bin", bytesOf(80), { bearer: owner });
    const id = await openUpload("a.bin", { size: 100 }, { headers: { "x-upsert": "true" } });
    expect(await readLedger(companyId)).toMatchObject({ reserved: 20, userReserved: 100 });
    await put("a.bin", bytesOf(10), { bearer: owner, method: "PUT" });
    await send(id, 1, bytesOf(100));
    expect((await complete(id)).status).toBe(200);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 100));
  });

  describe("the quota check at the completion of an overwrite", () => {
    const headers = { "x-upsert": "true" };
    type Started = Awaited<ReturnType<typeof start>>;
    it.each<[string, string, (files: Started) => Promise<Response[]>]>([
      [
        "was moved away",
        "company_quota_exceeded",
        async ({ storage, member }) => [
          await storage.call("/storage/v1/object/move", {
            bearer: member,
            json: { bucketId: "company", sourceKey: "a.bin", destinationKey: "b.bin" },
          }),
        ],
      ],
      [
        "was deleted",
        "company_quota_exceeded",
        async ({ get, put }) => [await get("a.bin", { method: "DELETE" }), await put("b.bin", bytesOf(1000))],
      ],
      [
        "became smaller",
        "company_quota_exceeded",
        async ({ put }) => [await put("a.bin", bytesOf(10), { method: "PUT" }), await put("b.bin", bytesOf(990))],
      ],
      [
        "was replaced by another user",
        "user_quota_exceeded",
        async ({ put, owner, companyId }) => {
          await updateRows(company_quotas, { max_bytes: 2000 }, eq(company_quotas.company_id, companyId));
          const overwritten = await put("a.bin", bytesOf(1000), { method: "PUT", bearer: owner });
          return [overwritten, await put("b.bin", bytesOf(1000))];
        },
      ],
    ])("rejects the completion until it fits the quota when the object %s", async (_description, code, change) => {
      const files = await start({ DEFAULT_COMPANY_QUOTA_BYTES: "1000", DEFAULT_USER_QUOTA_BYTES: "1000" });
      const { openUpload, send, complete, state, put, get, companyId } = files;
      await put("a.bin", bytesOf(1000));
      const id = await openUpload("a.bin", { size: 1000 }, { headers });
      await send(id, 1, bytesOf(1000, 7));
      for (const { status } of await change(files)) expect(status).toBe(200);
      const before = await readLedger(companyId);
      expect(await readError(await complete(id))).toEqual([413, code]);
      expect(await readLedger(companyId)).toEqual(before);
      expect(await (await state(id)).json()).toMatchObject({ parts: [1], completed_at: null });
      await get("b.bin", { method: "DELETE" });
      expect((await complete(id)).status).toBe(200);
      expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytesOf(1000, 7)));
      expect(await readLedger(companyId)).toEqual(settledLedger(1, 1000));
    });

    it("rejects the completion when the object is moved away between the check and the commit", async () => {
      const { openUpload, send, complete, put, get, storage, member, companyId } = await start({
        DEFAULT_COMPANY_QUOTA_BYTES: "1000",
      });
      await put("a.bin", bytesOf(1000));
      const id = await openUpload("a.bin", { size: 1000 }, { headers });
      await send(id, 1, bytesOf(1000, 7));
      const json = { bucketId: "company", sourceKey: "a.bin", destinationKey: "b.bin" };
      const moved: number[] = [];
      const OBJECTS = objectsWith({
        resumeMultipartUpload: (key: string, uploadId: string) => ({
          complete: async (parts: R2UploadedPart[]) => {
            moved.push((await storage.call("/storage/v1/object/move", { bearer: member, json })).status);
            return testEnv.OBJECTS.resumeMultipartUpload(key, uploadId).complete(parts);
          },
        }),
      });
      expect(await readError(await complete(id, { bindings: { OBJECTS } }))).toEqual([413, "company_quota_exceeded"]);
      expect(moved).toEqual([200]);
      expect(await readLedger(companyId)).toMatchObject({ used: 1000, userUsed: 1000, stored: 1000, reserved: 0 });
      await get("b.bin", { method: "DELETE" });
      expect((await complete(id)).status).toBe(200);
      expect(await readLedger(companyId)).toEqual(settledLedger(1, 1000));
    });
  });

  it("does not exceed the quota by several overwrites of an object that is moved away before each completes", async () => {
    const { openUpload, send, complete, put, storage, member, companyId } = await start({
      DEFAULT_COMPANY_QUOTA_BYTES: "1000",
    });
    await put("a.bin", bytesOf(1000));
    const headers = { "x-upsert": "true" };
    const ids = await Promise.all([1, 2, 3].map(() => openUpload("a.bin", { size: 1000 }, { headers })));
    for (const [index, id] of ids.entries()) {
      await send(id, 1, bytesOf(1000));
      const json = { bucketId: "company", sourceKey: "a.bin", destinationKey: `${index}.bin` };
      await storage.call("/storage/v1/object/move", { bearer: member, json });
      expect(await readError(await complete(id))).toEqual([413, "company_quota_exceeded"]);
    }
    expect(await readLedger(companyId)).toMatchObject({ used: 1000, stored: 1000, reserved: 0 });
  });

  it("lets an upload complete after the quota was lowered, because its bytes were reserved", async () => {
    const { openUpload, send, complete, companyId } = await start();
    const id = await openUpload("a.bin", { size: 100 });
    await updateRows(company_quotas, { max_bytes: 1 }, eq(company_quotas.company_id, companyId));
    await send(id, 1, bytesOf(100));
    expect((await complete(id)).status).toBe(200);
    expect(await readLedger(companyId)).toEqual(settledLedger(1, 100));
  });

  it("leaves the blob of an aborted upload to the sweep", async () => {
    const { openUpload, send, complete, cancel, companyId, put } = await start();
    await put("a.txt", "1");
    const id = await openUpload("a.bin", { size: 10 });
    await send(id, 1, bytesOf(10));
    await complete(id);
    const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
    expect(blobs.map(({ refs }) => refs)).toEqual([1, 1]);
    const other = await openUpload("b.bin", { size: 10 });
    await send(other, 1, bytesOf(10));
    await cancel(other);
    const remaining = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
    expect(remaining.map(({ refs }) => refs).toSorted()).toEqual([0, 1, 1]);
  });
});

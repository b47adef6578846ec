import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { event_log } from "../../../db/kit/webhooks";
import { storage_buckets } from "../../../db/storage/schema";
import { reservedBucketNames } from "../../../schemas/storage/buckets";
import { readDocument } from "../../support/http/api-document";
import { readError } from "../../support/sibling/sibling";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { tusClient } from "../../support/storage/resumable";
import { bytesOf, multipartClient, readLedger, settledLedger } from "../../support/storage/uploads";
import { eventsWhere, insertNumbered, readRows } from "../../support/webhooks/rows";

const path = "/storage/v1/bucket";

async function startBuckets() {
  const files = await startFiles();
  const { storage, owner, member, companyId } = files;
  const create = (json: object, bearer = owner) => storage.call(path, { bearer, json });
  const read = async (name: string) => (await storage.call(`${path}/${name}`, { bearer: member })).json();
  const change = (name: string, json: object, bearer = owner) =>
    storage.call(`${path}/${name}`, { method: "PUT", bearer, json });
  const remove = (name: string, bearer = owner) => storage.call(`${path}/${name}`, { method: "DELETE", bearer });
  const stored = () => readRows(storage_buckets, eq(storage_buckets.company_id, companyId));
  const events = () =>
    eventsWhere(and(eq(event_log.company_id, companyId), eq(event_log.event_type, "storage.bucket.created")));
  return { ...files, create, read, change, remove, stored, events };
}

const fieldErrors = async (response: Response) =>
  ((await response.json()) as { field_errors?: Record<string, string[]> }).field_errors;

describe("the bucket `company`", () => {
  it("is created once, with one event, under parallel first requests", async () => {
    const { storage, member, stored, events } = await startBuckets();
    const lists = await Promise.all(Array.from({ length: 6 }, () => storage.call(path, { bearer: member })));
    for (const response of lists) {
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject([{ id: "company", name: "company", kind: "company", public: false }]);
    }
    const buckets = await stored();
    expect(buckets).toHaveLength(1);
    expect((await events()).map(({ data }) => JSON.parse(data))).toEqual([
      { bucket_id: buckets[0]?.id, bucket_kind: "company", bucket_name: "company" },
    ]);
  });

  it("is created at the first request that names it", async () => {
    const { storage, member, stored } = await startBuckets();
    const response = await storage.call(`${path}/company`, { bearer: member });
    expect([response.status, await response.json()]).toMatchObject([200, { name: "company", owner: "" }]);
    expect(await stored()).toHaveLength(1);
  });

  it("can be emptied, but not changed or deleted", async () => {
    const { storage, change, remove, put, owner } = await startBuckets();
    await put("a.txt", "a");
    await put("b/c.txt", "c");
    expect(await readError(await change("company", { public: true }))).toEqual([403, "bucket_immutable"]);
    expect(await readError(await remove("company"))).toEqual([403, "bucket_immutable"]);
    const emptied = await storage.call(`${path}/company/empty`, { bearer: owner, json: {} });
    expect([emptied.status, await emptied.json()]).toMatchObject([200, { deleted: 2, complete: true }]);
  });
});

describe("custom buckets", () => {
  it("lets owners create a bucket with limits, with one event in two round trips, and shows it to every member", async () => {
    const { storage, create, read, events, member, ownerId } = await startBuckets();
    await storage.call(path, { bearer: member });
    const before = storage.roundTrips();
    const response = await create({
      id: "photos",
      name: "photos",
      public: false,
      file_size_limit: "50MB",
      allowed_mime_types: ["image/*"],
    });
    expect([response.status, await response.json()]).toEqual([200, { name: "photos" }]);
    expect(storage.roundTrips() - before).toBe(2);
    expect(await read("photos")).toMatchObject({
      id: "photos",
      display_name: "photos",
      kind: "custom",
      owner: String(ownerId),
      connector_provider: null,
      file_size_limit: 50 * 1024 ** 2,
      allowed_mime_types: ["image/*"],
      access: { audience: "company", owner_id: ownerId, can_write: true, grants_enabled: false },
    });
    expect((await events()).map(({ data }) => JSON.parse(data).bucket_name)).toEqual(["company", "photos"]);
    expect(await readError(await create({ name: "others" }, member))).toEqual([403, "forbidden"]);
  });

  it("applies the limits of a bucket to uploads", async () => {
    const { create, put } = await startBuckets();
    await create({ name: "photos", file_size_limit: 3, allowed_mime_types: ["image/*", "text/csv"] });
    const headers = { "content-type": "image/png" };
    expect((await put("a.png", "abc", { bucket: "photos", headers })).status).toBe(200);
    const response = await put("b.png", "abcd", { bucket: "photos", headers });
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({
        error_code: "payload_too_large",
        message: "An object of this bucket has at most 3 bytes.",
      }),
    ]);
    expect(await readError(await put("b.txt", "b", { bucket: "photos" }))).toEqual([415, "invalid_mime_type"]);
  });

  it("rejects reserved, taken and malformed names", async () => {
    const { create } = await startBuckets();
    for (const name of ["object", "list-v2", "prefix", "upload", "authenticated"]) {
      expect(await fieldErrors(await create({ name })), name).toEqual({ name: ["reserved"] });
    }
    const malformed = ["ab", "-ab", "ab-", "Ab1", "a.b", "a/b", "a b", "é12", "a".repeat(64), "a\u0000b", ""];
    for (const name of malformed)
      expect(await fieldErrors(await create({ name })), name).toEqual({ name: ["invalid"] });
    expect(await fieldErrors(await create({ name: "one", id: "two" }))).toEqual({ id: ["mismatch"] });
    expect(await fieldErrors(await create({}))).toEqual({ name: ["required"] });
    expect((await create({ name: "a-1" })).status).toBe(200);
    expect(await readError(await create({ name: "a-1" }))).toEqual([409, "bucket_name_taken"]);
    expect(await readError(await create({ name: "company" }))).toEqual([409, "bucket_name_taken"]);
  });

  it("reserves every name that equals a path segment of a route", async () => {
    const { storage } = await startBuckets();
    const paths = Object.keys((await readDocument(storage.call)).paths)
      .filter((path) => path.startsWith("/storage/v1/"))
      .map((path) => path.split("/").slice(3));
    const withBucket = new Set(paths.filter(([, second]) => second === "{bucket}").map(([first]) => first));
    const reserved = paths.flatMap(([first = "", second = ""]) => (withBucket.has(first) ? [first, second] : [first]));
    for (const word of reserved.filter((word) => /^[a-z0-9-]{3,}$/.test(word)))
      expect(reservedBucketNames).toContain(word);
  });

  it("accepts limits in the formats of clients and rejects others by field", async () => {
    const { create, read, change } = await startBuckets();
    await create({ name: "files" });
    const limits: [unknown, number | null][] = [
      [1, 1],
      ["10", 10],
      ["1.5GB", 1.5 * 1024 ** 3],
      ["20 mib", 20 * 1024 ** 2],
      [null, null],
    ];
    for (const [file_size_limit, expected] of limits) {
      expect((await change("files", { file_size_limit })).status, String(file_size_limit)).toBe(200);
      expect(await read("files")).toMatchObject({ file_size_limit: expected });
    }
    for (const file_size_limit of [0, -1, 1.5, "many", "1e3", "", true, {}, 2 ** 53, `${"9".repeat(16)}T`]) {
      const [code] = (await fieldErrors(await change("files", { file_size_limit })))?.file_size_limit ?? [];
      expect(["invalid", "out_of_range"], String(file_size_limit)).toContain(code);
    }
    expect(await fieldErrors(await change("files", { public: true }))).toEqual({ public: ["not_supported"] });
    expect(await fieldErrors(await create({ name: "open", public: true }))).toEqual({ public: ["not_supported"] });
    expect(await (await create({ name: "open", public: true })).json()).toMatchObject({
      message: "The request is not valid: public (not_supported).",
    });
    expect(await fieldErrors(await change("files", { name: "other" }))).toEqual({ name: ["immutable"] });
    for (const types of ["image/png", ["image"], ["*/*"], [1], ["a/b\r\n"], Array(101).fill("a/b")])
      expect(Object.keys((await fieldErrors(await change("files", { allowed_mime_types: types }))) ?? {})[0]).toMatch(
        /^allowed_mime_types/,
      );
  });

  it("keeps fields that a change omits", async () => {
    const { create, read, change } = await startBuckets();
    await create({ name: "files", display_name: "All files", file_size_limit: 5, allowed_mime_types: ["text/csv"] });
    expect(await (await change("files", { file_size_limit: 6 })).json()).toMatchObject({
      message: "Successfully updated",
    });
    expect(await read("files")).toMatchObject({
      display_name: "All files",
      file_size_limit: 6,
      allowed_mime_types: ["text/csv"],
    });
  });

  it("deletes an empty bucket, whose name can be used again", async () => {
    const { create, remove, put, storage, member, owner } = await startBuckets();
    await create({ name: "files" });
    await put("a.txt", "a", { bucket: "files" });
    expect(await readError(await remove("files"))).toEqual([409, "bucket_not_empty"]);
    expect(await readError(await remove("files", member))).toEqual([403, "forbidden"]);
    await storage.call(`${path}/files/empty`, { bearer: owner, json: {} });
    const before = storage.roundTrips();
    expect(await (await remove("files")).json()).toEqual({ message: "Successfully deleted" });
    expect(storage.roundTrips() - before).toBe(2);
    expect(await readError(await remove("files"))).toEqual([404, "bucket_not_found"]);
    expect((await create({ name: "files" })).status).toBe(200);
  });

  it("deletes a bucket with its open uploads and immediately releases their bytes", async () => {
    const files = await startBuckets();
    const { create, remove, companyId } = files;
    const [parts, tus] = [multipartClient(files), tusClient(files)];
    await create({ name: "files" });
    const multipart = await parts.openUpload("a.bin", { size: 20_000_000 }, { bucket: "files" });
    const values = { bucketName: "files" };
    const resumable = await tus.createUpload("b.bin", 100, { values });
    expect((await tus.patch(resumable, 0, bytesOf(50))).status).toBe(204);
    const elsewhere = await parts.openUpload("c.bin", { size: 7 });
    expect(await readLedger(companyId)).toMatchObject({ reserved: 20_000_107, userReserved: 20_000_107, open: 3 });
    expect((await remove("files")).status).toBe(200);
    expect(await readLedger(companyId)).toMatchObject({ reserved: 7, userReserved: 7, reservations: 1, open: 1 });
    expect(await readError(await parts.state(multipart))).toEqual([404, "upload_not_found"]);
    expect(await readError(await tus.patch(resumable, 50, bytesOf(50)))).toEqual([404, "upload_not_found"]);
    expect((await parts.cancel(elsewhere)).status).toBe(204);
    await sweepAll(files);
    await expectAgreement(files);
  });

  it("keeps open uploads when the deletion of a bucket that is not empty is rejected", async () => {
    const files = await startBuckets();
    const { create, remove, put } = files;
    const parts = multipartClient(files);
    await create({ name: "files" });
    const id = await parts.openUpload("a.bin", { size: 10 }, { bucket: "files" });
    await put("b.txt", "b", { bucket: "files" });
    expect(await readError(await remove("files"))).toEqual([409, "bucket_not_empty"]);
    expect((await parts.send(id, 1, bytesOf(10))).status).toBe(200);
    expect((await parts.complete(id)).status).toBe(200);
  });

  it("leaves no bytes after a deletion during parallel uploads", async () => {
    const files = await startBuckets();
    const { create, remove, companyId } = files;
    const parts = multipartClient(files);
    for (let round = 0; round < 5; round++) {
      await create({ name: "files" });
      const id = await parts.openUpload("a.bin", { size: 10 }, { bucket: "files" });
      await parts.send(id, 1, bytesOf(10));
      const open = (at: number) => parts.open(`${at}.bin`, { size: 10 }, { bucket: "files" });
      const [completed, removed] = await Promise.all([parts.complete(id), remove("files"), open(1), open(2), open(3)]);
      const codes = [await readError(completed), await readError(removed)].map(([status]) => status);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual(codes);
      if (codes[1] === 409) {
        await files.storage.call(`${path}/files/empty`, { bearer: files.owner, json: {} });
        expect((await remove("files")).status).toBe(200);
      }
      expect(await readLedger(companyId)).toEqual(settledLedger(0, 0));
    }
  });

  it("allows at most 100 buckets under parallel creations", async () => {
    const { create, stored, companyId, events, storage, member } = await startBuckets();
    await storage.call(path, { bearer: member });
    await insertNumbered(storage_buckets, 94, (i) => ({
      id: sql`${companyId} || '-' || ${i}`,
      company_id: companyId,
      name: sql`'stored-' || ${i}`,
      display_name: "x",
      kind: "custom" as const,
      created_at: 1,
      updated_at: 1,
    }));
    const responses = await Promise.all(Array.from({ length: 12 }, (_, at) => create({ name: `bucket-${at}` })));
    const codes = await Promise.all(responses.map(readError));
    expect(codes.filter(([status]) => status === 200)).toHaveLength(5);
    expect(codes.filter(([, code]) => code === "bucket_limit_reached")).toHaveLength(7);
    expect(await stored()).toHaveLength(100);
    expect(await events()).toHaveLength(6);
  });

  it("returns 404 for a custom bucket of another company", async () => {
    const [tenant, otherTenant] = [await startBuckets(), await startBuckets()];
    await otherTenant.create({ name: "secrets" });
    const notFound = [404, "bucket_not_found"];
    expect(await readError(await tenant.storage.call(`${path}/secrets`, { bearer: tenant.member }))).toEqual(notFound);
    expect(await readError(await tenant.change("secrets", { display_name: "x" }))).toEqual(notFound);
    expect(await readError(await tenant.remove("secrets"))).toEqual(notFound);
    const empty = await tenant.storage.call(`${path}/secrets/empty`, { bearer: tenant.owner, json: {} });
    expect(await readError(empty)).toEqual(notFound);
    expect((await tenant.create({ name: "secrets" })).status).toBe(200);
  });
});

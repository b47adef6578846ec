import { and, asc, eq, inArray } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { event_log } from "../../../db/kit/webhooks";
import {
  company_quotas,
  quota_reservations,
  storage_blobs,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { loseAnswer } from "../../support/db/lost-answer";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { eventsWhere, readRows, updateRows } from "../../support/webhooks/rows";

async function startRelocations(vars: Parameters<typeof startFiles>[0] = {}) {
  const files = await startFiles(vars);
  const { storage, member, owner, companyId } = files;
  type Options = { bearer?: string; upsert?: boolean; DB?: D1Database };
  const relocate = (action: "copy" | "move", json: object, { bearer = member, upsert, DB }: Options = {}) =>
    storage.call(`/storage/v1/object/${action}`, {
      bearer,
      json,
      headers: upsert ? { "x-upsert": "true" } : {},
      ...(DB ? { bindings: { DB } } : {}),
    });
  const paths = (from: string, to: string, other: object = {}) => ({
    bucketId: "company",
    sourceKey: from,
    destinationKey: to,
    ...other,
  });
  const copy = (from: string, to: string, options?: Options) => relocate("copy", paths(from, to), options);
  const move = (from: string, to: string, options?: Options) => relocate("move", paths(from, to), options);
  const createBucket = (json: object) => storage.call("/storage/v1/bucket", { bearer: owner, json });
  const objects = () => readRows(storage_objects, eq(storage_objects.company_id, companyId), asc(storage_objects.name));
  const names = async () => (await objects()).map(({ name }) => name);
  const blobs = () => readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
  const events = async (...types: string[]) => {
    const rows = await eventsWhere(and(eq(event_log.company_id, companyId), inArray(event_log.event_type, types)));
    return rows.map(({ data }) => JSON.parse(data));
  };
  /** Expects quotas and blobs to agree with the rows of the objects. */
  async function expectConsistentCounters() {
    const stored = await objects();
    const total = (rows: typeof stored) => rows.reduce((sum, { size }) => sum + size, 0);
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: total(stored), reserved_bytes: 0, object_count: stored.length },
    ]);
    for (const user of await readRows(user_quotas, eq(user_quotas.company_id, companyId))) {
      const used_bytes = total(stored.filter(({ owner_id }) => owner_id === user.user_id));
      expect(user).toMatchObject({ used_bytes, reserved_bytes: 0 });
    }
    for (const { key, refs, unreferenced_at } of await blobs()) {
      expect(refs, key).toBe(stored.filter(({ blob_key }) => blob_key === key).length);
      expect(unreferenced_at === null).toBe(refs > 0);
    }
    expect(await readRows(quota_reservations, eq(quota_reservations.company_id, companyId))).toEqual([]);
  }
  return { ...files, relocate, copy, move, createBucket, objects, names, blobs, events, expectConsistentCounters };
}

describe("copies", () => {
  it("creates a copy that shares the blob and belongs to the caller, with an event, in two round trips", async () => {
    const { put, copy, get, owner, ownerId, storage, events, objects, blobs, expectConsistentCounters } =
      await startRelocations();
    await put("a.txt", "hello", { headers: { "content-type": "text/plain", "x-metadata": '{"k":1}' } });
    const before = storage.roundTrips();
    const response = await copy("a.txt", "b/c.txt", { bearer: owner });
    expect(storage.roundTrips() - before).toBe(2);
    expect([response.status, await response.json()]).toEqual([
      200,
      { message: "Successfully copied", Id: expect.any(String), Key: "company/b/c.txt" },
    ]);
    expect(await (await get("b/c.txt")).text()).toBe("hello");
    const [source, target] = await objects();
    expect(target).toMatchObject({
      owner_id: ownerId,
      metadata: { k: 1 },
      mime_type: "text/plain",
      version: 1,
      size: 5,
    });
    expect(target?.blob_key).toBe(source?.blob_key);
    expect((await blobs()).map(({ refs }) => refs)).toEqual([2]);
    expect((await events("storage.object.uploaded"))[1]).toMatchObject({
      path: "b/c.txt",
      created: true,
      version: 1,
      size: 5,
    });
    await expectConsistentCounters();
  });

  it("keeps a copy when its source is deleted", async () => {
    const { put, copy, get, storage, member, expectConsistentCounters } = await startRelocations();
    await put("a.txt", "hello");
    await copy("a.txt", "b.txt");
    await storage.call("/storage/v1/object/company/a.txt", { method: "DELETE", bearer: member });
    expect(await (await get("b.txt")).text()).toBe("hello");
    await expectConsistentCounters();
  });

  it("replaces an object of any owner only with x-upsert", async () => {
    const { put, copy, get, owner, events, expectConsistentCounters } = await startRelocations();
    await put("a.txt", "first");
    await put("b.txt", "second one", { bearer: owner });
    expect(await readError(await copy("a.txt", "b.txt"))).toEqual([400, "resource_already_exists"]);
    const response = await copy("a.txt", "b.txt", { upsert: true });
    expect([response.status, response.headers.get("x-object-version")]).toEqual([200, "2"]);
    expect(await (await get("b.txt")).text()).toBe("first");
    expect((await events("storage.object.uploaded"))[2]).toMatchObject({ path: "b.txt", created: false, version: 2 });
    expect((await copy("a.txt", "a.txt", { upsert: true })).status).toBe(200);
    await expectConsistentCounters();
  });

  it("counts a copy towards the quota and stores nothing when it exceeds the quota", async () => {
    const { put, copy, companyId, names, expectConsistentCounters } = await startRelocations({
      DEFAULT_COMPANY_QUOTA_BYTES: "10",
    });
    await put("a.txt", "12345");
    expect((await copy("a.txt", "b.txt")).status).toBe(200);
    const response = await copy("a.txt", "c.txt");
    expect([response.status, await response.json()]).toMatchObject([
      413,
      {
        error_code: "company_quota_exceeded",
        quota: { max_bytes: 10, used_bytes: 10, requested_bytes: 5, remaining_bytes: 0 },
      },
    ]);
    expect((await copy("a.txt", "b.txt", { upsert: true })).status).toBe(200);
    await updateRows(
      company_quotas,
      { max_bytes: null, max_bytes_per_user: 12 },
      eq(company_quotas.company_id, companyId),
    );
    expect(await readError(await copy("a.txt", "c.txt"))).toEqual([413, "user_quota_exceeded"]);
    expect(await names()).toEqual(["a.txt", "b.txt"]);
    await expectConsistentCounters();
  });

  it("never exceeds a quota under parallel copies", async () => {
    const { put, copy, expectConsistentCounters, objects } = await startRelocations({
      DEFAULT_COMPANY_QUOTA_BYTES: "25",
    });
    await put("a.txt", "12345");
    const responses = await Promise.all(Array.from({ length: 15 }, (_, index) => copy("a.txt", `copies/${index}.txt`)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(responses.filter(({ status }) => status === 413)).toHaveLength(11);
    expect(await objects()).toHaveLength(5);
    await expectConsistentCounters();
  });

  it("accepts one of several parallel copies to the same path, and rejects the others", async () => {
    const { put, copy, expectConsistentCounters, objects } = await startRelocations();
    await put("a.txt", "12345");
    const plain = await Promise.all(Array.from({ length: 5 }, () => copy("a.txt", "b.txt")));
    expect((await Promise.all(plain.map(readError))).map(([, code]) => code).filter(Boolean)).toEqual(
      Array(4).fill("resource_already_exists"),
    );
    const upserts = await Promise.all(Array.from({ length: 4 }, () => copy("a.txt", "b.txt", { upsert: true })));
    expect(upserts.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await objects()).map(({ version }) => version)).toEqual([1, 5]);
    await expectConsistentCounters();
  });

  it("charges a copy once and emits one event when the batch is repeated", async () => {
    const { put, copy, events, expectConsistentCounters } = await startRelocations();
    await put("a.txt", "12345");
    expect((await copy("a.txt", "b.txt", { DB: loseAnswer(testEnv.DB, 2) })).status).toBe(200);
    expect((await copy("a.txt", "b.txt", { DB: loseAnswer(testEnv.DB, 2), upsert: true })).status).toBe(200);
    expect(await events("storage.object.uploaded")).toHaveLength(3);
    await expectConsistentCounters();
  });

  it("checks for an existing destination before the limits of its bucket", async () => {
    const { put, storage, owner, member } = await startFiles();
    await storage.call("/storage/v1/bucket", {
      bearer: owner,
      json: { name: "pics", allowed_mime_types: ["image/*"] },
    });
    await put("a.pdf", "x");
    await put("a.png", "x", { bucket: "pics" });
    const json = { bucketId: "company", sourceKey: "a.pdf", destinationBucket: "pics", destinationKey: "a.png" };
    for (const kind of ["copy", "move"]) {
      const response = await storage.call(`/storage/v1/object/${kind}`, { bearer: member, json });
      expect(await readError(response)).toEqual([400, "resource_already_exists"]);
    }
  });

  it("applies the limits of the destination bucket", async () => {
    const { put, relocate, createBucket, get, expectConsistentCounters } = await startRelocations();
    await createBucket({ name: "images", allowed_mime_types: ["image/*"] });
    await createBucket({ name: "small", file_size_limit: 3 });
    await createBucket({ name: "others" });
    await put("a.txt", "hello");
    const to = (destinationBucket: string) => ({
      bucketId: "company",
      sourceKey: "a.txt",
      destinationKey: "b.txt",
      destinationBucket,
    });
    for (const action of ["copy", "move"] as const) {
      expect(await readError(await relocate(action, to("images")))).toEqual([415, "invalid_mime_type"]);
      expect(await readError(await relocate(action, to("small")))).toEqual([413, "payload_too_large"]);
      expect(await readError(await relocate(action, to("nowhere")))).toEqual([404, "bucket_not_found"]);
    }
    expect((await relocate("copy", { from: "company/a.txt", to: "others/x/b.txt" })).status).toBe(200);
    expect((await relocate("move", to("others"))).status).toBe(200);
    expect(await (await get("b.txt", { bucket: "others" })).text()).toBe("hello");
    expect(await readError(await get("a.txt"))).toEqual([404, "object_not_found"]);
    await expectConsistentCounters();
  });
});

describe("moves", () => {
  it("renames an object with one event in two round trips, and changes no quota", async () => {
    const { put, move, get, storage, memberId, owner, events, objects, expectConsistentCounters } =
      await startRelocations();
    await put("a.txt", "hello");
    const [original] = await objects();
    const before = storage.roundTrips();
    const moved = await move("a.txt", "b/c.txt", { bearer: owner });
    expect(storage.roundTrips() - before).toBe(2);
    expect([moved.status, await moved.json()]).toMatchObject([200, { message: "Successfully moved" }]);
    expect(await (await get("b/c.txt")).text()).toBe("hello");
    expect(await readError(await get("a.txt"))).toEqual([404, "object_not_found"]);
    expect(await objects()).toMatchObject([
      { id: original?.id, owner_id: memberId, version: 1, updated_at: original?.updated_at, etag: original?.etag },
    ]);
    expect(await events("storage.object.moved")).toEqual([
      { object_id: original?.id, bucket_name: "company", to_bucket_name: "company", from: "a.txt", to: "b/c.txt" },
    ]);
    await expectConsistentCounters();
  });

  it("replaces an object only with x-upsert, and emits an event for its deletion", async () => {
    const { put, move, get, owner, events, expectConsistentCounters, names } = await startRelocations();
    await put("a.txt", "first");
    await put("b.txt", "second one", { bearer: owner });
    expect(await readError(await move("a.txt", "b.txt"))).toEqual([400, "resource_already_exists"]);
    expect(await readError(await move("a.txt", "a.txt"))).toEqual([400, "resource_already_exists"]);
    expect((await move("a.txt", "a.txt", { upsert: true })).status).toBe(200);
    expect((await move("a.txt", "b.txt", { upsert: true })).status).toBe(200);
    expect(await (await get("b.txt")).text()).toBe("first");
    expect(await names()).toEqual(["b.txt"]);
    expect(await events("storage.object.deleted")).toMatchObject([{ path: "b.txt", size: 10 }]);
    expect(await events("storage.object.moved")).toHaveLength(1);
    await expectConsistentCounters();
  });

  it("does not check the bucket's limits for a move within the bucket", async () => {
    const { put, get, storage, owner, member } = await startFiles();
    await storage.call("/storage/v1/bucket", { bearer: owner, json: { name: "pics" } });
    await put("a.pdf", "12345", { bucket: "pics" });
    const json = { allowed_mime_types: ["image/*"], file_size_limit: 1 };
    await storage.call("/storage/v1/bucket/pics", { method: "PUT", bearer: owner, json });
    const relocate = (kind: string, destinationKey: string) =>
      storage.call(`/storage/v1/object/${kind}`, {
        bearer: member,
        json: { bucketId: "pics", sourceKey: "a.pdf", destinationKey },
      });
    expect(await readError(await relocate("copy", "b.pdf"))).toEqual([415, "invalid_mime_type"]);
    expect((await relocate("move", "b.pdf")).status).toBe(200);
    expect(await (await get("b.pdf", { bucket: "pics" })).text()).toBe("12345");
  });

  it("emits no event for a folder marker", async () => {
    const { put, move, copy, events, names } = await startRelocations();
    await put("a/.emptyFolderPlaceholder", "");
    expect((await copy("a/.emptyFolderPlaceholder", "c/.emptyFolderPlaceholder")).status).toBe(200);
    expect((await move("a/.emptyFolderPlaceholder", "b/.emptyFolderPlaceholder")).status).toBe(200);
    expect(await names()).toEqual(["b/.emptyFolderPlaceholder", "c/.emptyFolderPlaceholder"]);
    expect(await events("storage.object.moved", "storage.object.uploaded")).toEqual([]);
  });

  it("moves an object to one path under parallel moves", async () => {
    const { put, move, names, events, expectConsistentCounters } = await startRelocations();
    await put("a.txt", "12345");
    await put("b.txt", "1");
    const responses = await Promise.all([0, 1, 2, 3].map((index) => move("a.txt", `${index}.txt`)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
    expect(await names()).toHaveLength(2);
    expect(await events("storage.object.moved")).toHaveLength(1);
    const [index] = (await names()).filter((name) => name !== "b.txt");
    await Promise.all([
      move(index ?? "", "b.txt", { upsert: true }),
      move("b.txt", index ?? "", { upsert: true }),
      put("b.txt", "three", { method: "PUT" }),
    ]);
    await expectConsistentCounters();
  });

  it("moves an object once, with one event, when the batch is repeated", async () => {
    const { put, move, events, expectConsistentCounters, names } = await startRelocations();
    await put("a.txt", "12345");
    await put("b.txt", "1");
    expect((await move("a.txt", "b.txt", { DB: loseAnswer(testEnv.DB, 2), upsert: true })).status).toBe(200);
    expect(await names()).toEqual(["b.txt"]);
    expect(await events("storage.object.moved", "storage.object.deleted")).toHaveLength(2);
    await expectConsistentCounters();
  });
});

describe("copies and moves", () => {
  it("keeps every counter exact in a mix with uploads and deletions of two users", async () => {
    const { put, move, copy, storage, member, owner, expectConsistentCounters } = await startRelocations();
    const path = fc.constantFrom("a.txt", "b.txt", "c/d.txt");
    const step = fc.record({
      kind: fc.constantFrom("put", "copy", "move", "delete"),
      from: path,
      to: path,
      size: fc.integer({ min: 0, max: 9 }),
      isOwner: fc.boolean(),
      upsert: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const responses = await Promise.all(
          steps.map(({ kind, from, to, size, isOwner, upsert }) => {
            const bearer = isOwner ? owner : member;
            if (kind === "put") return put(to, "x".repeat(size), { method: "PUT", bearer });
            if (kind === "copy") return copy(from, to, { bearer, upsert });
            if (kind === "move") return move(from, to, { bearer, upsert });
            return storage.call(`/storage/v1/object/company/${from}`, { method: "DELETE", bearer });
          }),
        );
        for (const { status } of responses) expect([200, 400, 404, 409]).toContain(status);
        await put("z.txt", "z", { method: "PUT" });
        await expectConsistentCounters();
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  it("rejects invalid paths and returns 404 for buckets of other companies", async () => {
    const { put, relocate, createBucket } = await startRelocations();
    const others = await startRelocations();
    await others.createBucket({ name: "secrets" });
    await others.put("key.txt", "key", { bucket: "secrets" });
    await createBucket({ name: "mine" });
    await put("a.txt", "hello");
    const base = { bucketId: "company", sourceKey: "a.txt", destinationKey: "b.txt" };
    const cases: [object, number, string][] = [
      [{ ...base, sourceKey: "../a.txt" }, 400, "sourceKey"],
      [{ ...base, destinationKey: "x/../../b.txt" }, 400, "destinationKey"],
      [{ ...base, destinationKey: "a\u0000b" }, 400, "destinationKey"],
      [{ ...base, destinationKey: "" }, 400, "destinationKey"],
      [{ ...base, destinationKey: "/./" }, 400, "destinationKey"],
      [{ ...base, destinationKey: "é".repeat(513) }, 400, "destinationKey"],
      [{ ...base, destinationKey: "\ud800" }, 400, "destinationKey"],
      [{ ...base, sourceKey: 1 }, 400, "sourceKey"],
      [{ bucketId: "company", sourceKey: "a.txt" }, 400, "destinationKey"],
      [{ from: "company/a.txt", to: "company" }, 400, "to"],
      [{ from: "a.txt", to: "company/a.txt" }, 400, "from"],
      [{ from: "company/a.txt", to: "mine/b.txt", destinationBucket: "mine" }, 400, "bucketId"],
      [{ ...base, sourceKey: "b.txt" }, 404, "object_not_found"],
      [{ ...base, sourceKey: "%61.txt" }, 404, "object_not_found"],
      [{ ...base, bucketId: "secrets", sourceKey: "key.txt", destinationBucket: "company" }, 404, "bucket_not_found"],
      [{ ...base, destinationBucket: "secrets" }, 404, "bucket_not_found"],
      [{ from: "secrets/key.txt", to: "company/key.txt" }, 404, "bucket_not_found"],
      [{ ...base, bucketId: "\u0000" }, 404, "bucket_not_found"],
    ];
    for (const action of ["copy", "move"] as const) {
      for (const [json, status, expected] of cases) {
        const response = await relocate(action, json);
        const { error_code, field_errors = {} } = (await response.json()) as {
          error_code: string;
          field_errors?: object;
        };
        const [field] = Object.keys(field_errors);
        expect([response.status, field ?? error_code], `${action} ${JSON.stringify(json)}`).toEqual([status, expected]);
      }
    }
  });

  it("accepts paths in any Unicode normal form and with either kind of slash", async () => {
    const { put, move, copy, names } = await startRelocations();
    await put("re\u0301sume\u0301.txt", "hello");
    expect((await copy("/r\u00e9sum\u00e9.txt", "docs\\./one//two.txt")).status).toBe(200);
    expect((await move("re\u0301sum\u00e9.txt", `docs/${"n".repeat(255)}`)).status).toBe(200);
    expect(await names()).toEqual([`docs/${"n".repeat(255)}`, "docs/one/two.txt"]);
  });
});

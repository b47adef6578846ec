import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { PART_BYTES } from "../../../workers/kit/files/body";
import { readError } from "../../support/sibling/sibling";
import { readCounters, settledCounters } from "../../support/storage/figures";
import { startFiles } from "../../support/storage/files";
import { objectsWith, watchedObjects } from "../../support/storage/objects-double";
import { testEnv } from "../../support/storage/storage";
import { deleteRows, readRows } from "../../support/webhooks/rows";

type Files = Awaited<ReturnType<typeof startFiles>>;

const failPut = async () => {
  throw new Error("put: We encountered an internal error. Please try again. (10001)");
};

const upsert = { headers: { "x-upsert": "true" } };

const sendStream = ({ storage, member }: Files, path: string, bytes: Uint8Array) =>
  storage.call(`/storage/v1/object/company/${path}`, {
    method: "POST",
    bearer: member,
    body: new Response(bytes as BodyInit).body,
    ...({ duplex: "half" } as object),
  });

/** Returns a bucket whose `put` stores the bytes, resolves `stored`, and responds only after `release`. */
function createHeldBucket() {
  let arrive = () => {};
  let release = () => {};
  const stored = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const objects = objectsWith({
    put: async (key: string, value: ReadableStream, options: R2PutOptions) => {
      const result = await testEnv.OBJECTS.put(key, value, options);
      arrive();
      await released;
      return result;
    },
  });
  return { objects, stored, release: () => release() };
}

describe("R2 failures", () => {
  it.each([
    ["before it reads the body", failPut],
    [
      "while it reads the body",
      async (_key: string, value: ReadableStream<Uint8Array>) => {
        const reader = value.getReader();
        await reader.read();
        await reader.cancel(new Error("R2 is unavailable"));
        return failPut();
      },
    ],
    [
      "after it reads the body",
      async (_key: string, value: ReadableStream<Uint8Array>) => {
        await new Response(value).arrayBuffer();
        return failPut();
      },
    ],
  ] as const)("returns 502 when R2 fails %s, and immediately releases the reservation", async (_when, put) => {
    const files = await startFiles({ OBJECTS: objectsWith({ put }) });
    expect(await readError(await files.put("a.bin", new Uint8Array(300_000)))).toEqual([502, "storage_error"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
    expect((await files.get("a.bin")).status).toBe(404);
  });

  it("returns 502 for buffered bodies and for multipart bodies, and aborts the multipart upload", async () => {
    const files = await startFiles({ OBJECTS: objectsWith({ put: failPut }) });
    expect(await readError(await files.put("empty.bin", ""))).toEqual([502, "storage_error"]);
    expect(await readError(await sendStream(files, "a.bin", new Uint8Array(10)))).toEqual([502, "storage_error"]);
    const { objects, createdUploads } = watchedObjects();
    const broken = objectsWith({
      createMultipartUpload: async (key: string) => {
        const upload = await objects.createMultipartUpload(key);
        return new Proxy(upload, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name);
            if (name === "complete") return failPut;
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    });
    const parts = await startFiles({ OBJECTS: broken });
    const response = await sendStream(parts, "a.bin", new Uint8Array(PART_BYTES + 1));
    expect(await readError(response)).toEqual([502, "storage_error"]);
    await expect(createdUploads[0]?.uploadPart(3, new Uint8Array(3))).rejects.toThrow();
    for (const { companyId } of [files, parts]) expect(await readCounters(companyId)).toEqual(settledCounters(0, 0));
  });

  it("returns 502 for a failing download and for an object whose bytes are missing", async () => {
    const files = await startFiles();
    await files.put("a.txt", "hello");
    const OBJECTS = objectsWith({ get: failPut });
    const url = "/storage/v1/object/company/a.txt";
    const response = await files.storage.call(url, { bearer: files.member, bindings: { OBJECTS } });
    expect(await readError(response)).toEqual([502, "storage_error"]);
    const lost = await files.storage.call(url, {
      bearer: files.member,
      bindings: { OBJECTS: objectsWith({ get: async () => null }) },
    });
    expect(await readError(lost)).toEqual([502, "storage_error"]);
  });
});

describe("concurrent changes of one path", () => {
  it("leaves one complete version and counts each overwrite once", async () => {
    const files = await startFiles();
    await files.put("a.txt", "x".repeat(10));
    const texts = Array.from({ length: 12 }, (_, i) => String(i).repeat(5 + i));
    const responses = await Promise.all(texts.map((text) => files.put("a.txt", text, upsert)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.every((status) => [200, 409].includes(status))).toBe(true);
    const remaining = await (await files.get("a.txt")).text();
    expect(texts).toContain(remaining);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(remaining.length, 1));
    const [row] = await readRows(storage_objects, eq(storage_objects.company_id, files.companyId));
    expect(row?.version).toBe(1 + statuses.filter((status) => status === 200).length);
  });

  it("counts only the bytes of the last version, when several users replace an object at once", async () => {
    const files = await startFiles();
    await files.put("a.txt", "x".repeat(10));
    const responses = await Promise.all(
      [files.owner, files.member, files.owner, files.member].map((bearer, i) =>
        files.put("a.txt", "y".repeat(20 + i), { ...upsert, bearer }),
      ),
    );
    for (const { status } of responses) expect([200, 409]).toContain(status);
    const remaining = await (await files.get("a.txt")).text();
    expect(await readCounters(files.companyId)).toEqual(settledCounters(remaining.length, 1));
  });

  it("accepts exactly one upload without x-upsert", async () => {
    const files = await startFiles();
    const responses = await Promise.all(Array.from({ length: 8 }, (_, i) => files.put("a.txt", "z".repeat(i + 1))));
    const rejected = responses.filter(({ status }) => status !== 200);
    expect(rejected).toHaveLength(7);
    for (const response of rejected) expect(await readError(response)).toEqual([400, "resource_already_exists"]);
    const remaining = await (await files.get("a.txt")).text();
    expect(await readCounters(files.companyId)).toEqual(settledCounters(remaining.length, 1));
  });

  it("stores one version for parallel uploads with one Idempotency-Key", async () => {
    const files = await startFiles();
    const headers = { "idempotency-key": "same" };
    const responses = await Promise.all(Array.from({ length: 6 }, () => files.put("a.txt", "hello", { headers })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(responses.filter((response) => response.headers.get("idempotent-replay") === "true")).toHaveLength(5);
    expect(new Set(responses.map((response) => response.headers.get("x-object-version")))).toEqual(new Set(["1"]));
    expect(await readCounters(files.companyId)).toEqual(settledCounters(5, 1));
  });

  it("keeps the quota exact when one request deletes the object that the other replaces", async () => {
    const { objects, stored, release } = createHeldBucket();
    const files = await startFiles();
    await files.put("a.txt", "x".repeat(100));
    const url = "/storage/v1/object/company/a.txt";
    const upload = files.storage.call(url, {
      method: "PUT",
      bearer: files.member,
      headers: { "content-length": "50" },
      body: "y".repeat(50),
      bindings: { OBJECTS: objects },
    });
    await stored;
    expect((await files.get("a.txt", { method: "DELETE" })).status).toBe(200);
    expect(await readCounters(files.companyId)).toMatchObject({ used: 0, stored: 0 });
    release();
    const response = await upload;
    expect([response.status, response.headers.get("x-object-version")]).toEqual([200, "1"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(50, 1));
  });

  it("stores nothing when the bucket is deleted during the upload", async () => {
    const { objects, stored, release } = createHeldBucket();
    const files = await startFiles();
    await files.put("first.txt", "1");
    await files.get("first.txt", { method: "DELETE" });
    const upload = files.storage.call("/storage/v1/object/company/a.txt", {
      method: "PUT",
      bearer: files.member,
      headers: { "content-length": "5" },
      body: "hello",
      bindings: { OBJECTS: objects },
    });
    await stored;
    await deleteRows(storage_buckets, eq(storage_buckets.company_id, files.companyId));
    release();
    expect(await readError(await upload)).toEqual([404, "bucket_not_found"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
  });

  it("accepts the upload with If-Match that commits first, and rejects the other one at its commit", async () => {
    const { objects, stored, release } = createHeldBucket();
    const files = await startFiles();
    const etag = (await files.put("a.txt", "one")).headers.get("etag") ?? "";
    const headers = { "if-match": etag, "content-length": "5" };
    const upload = files.storage.call("/storage/v1/object/company/a.txt", {
      method: "PUT",
      bearer: files.member,
      headers,
      body: "three",
      bindings: { OBJECTS: objects },
    });
    await stored;
    expect((await files.put("a.txt", "two", { method: "PUT", headers: { "if-match": etag } })).status).toBe(200);
    release();
    expect(await readError(await upload)).toEqual([412, "precondition_failed"]);
    expect(await (await files.get("a.txt")).text()).toBe("two");
    expect(await readCounters(files.companyId)).toEqual(settledCounters(3, 1));
  });
});

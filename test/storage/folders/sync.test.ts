import { eq, sql } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { company_quotas } from "../../../db/storage/schema";
import { compareBytes } from "../../../workers/storage/folders/byte-order";
import { meterDatabase } from "../../support/db/metered-database";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { bucketOf, storeManyObjects, storeObjects } from "../../support/storage/stored-objects";
import { updateRows } from "../../support/webhooks/rows";

type Item = { path: string; size: number; etag?: string };

async function startSync() {
  const files = await startFiles();
  const { storage, member, companyId } = files;
  await storage.call("/storage/v1/bucket", { bearer: member });
  const bucket = await bucketOf(companyId);
  const call = (json: object, name = "company", DB?: D1Database) =>
    storage.call(`/storage/v1/sync/${name}`, { bearer: member, json, ...(DB ? { bindings: { DB } } : {}) });
  const sync = async (json: object, DB?: D1Database) => {
    const response = await call(json, "company", DB);
    expect(response.status).toBe(200);
    return (await response.json()) as { upload: string[]; delete: string[]; unchanged: number; bytes_needed: number };
  };
  return { ...files, bucket, call, sync };
}

const compareUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("manifest comparison", () => {
  it("returns what to upload and delete in two round trips, and changes nothing", async () => {
    const { put, sync, storage, get } = await startSync();
    for (const name of ["site/a.html", "site/b.html", "site/c/d.html", "site/gone.html", "other.html"])
      await put(name, "12345");
    const before = storage.roundTrips();
    const plan = await sync({
      prefix: "site",
      items: [
        { path: "a.html", size: 5 },
        { path: "b.html", size: 5, etag: "another" },
        { path: "c/d.html", size: 8 },
        { path: "new.html", size: 100 },
      ],
    });
    expect(storage.roundTrips() - before).toBe(2);
    expect(plan).toEqual({
      upload: ["b.html", "c/d.html", "new.html"],
      delete: ["gone.html"],
      unchanged: 1,
      bytes_needed: 103,
      fits: true,
      remaining_bytes: 10_737_418_240 - 25,
      delete_truncated: false,
    });
    expect((await get("site/gone.html")).status).toBe(200);
  });

  it("accepts ETags with and without quotes", async () => {
    const { put, sync } = await startSync();
    const tag = (await put("a.txt", "hello")).headers.get("etag") ?? "";
    for (const etag of [tag, tag.replaceAll('"', "")])
      expect(await sync({ items: [{ path: "a.txt", size: 5, etag }] })).toMatchObject({ upload: [], unchanged: 1 });
  });

  it("returns the same result for a manifest in several requests as in one, for any names", async () => {
    const { storage, owner, companyId, call } = await startSync();
    const name = fc
      .array(fc.constantFrom("a", "-", "é", "\uffee", "\u{1d4b3}", "z/", "~"), { minLength: 1, maxLength: 4 })
      .map((parts) => `${parts.join("")}x`);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 25 }),
        fc.uniqueArray(name, { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (stored, local, size) => {
          const bucket = `model-${++number}`;
          await storage.call("/storage/v1/bucket", { bearer: owner, json: { name: bucket } });
          await storeObjects(
            await bucketOf(companyId, bucket),
            stored.map((path) => `in/${path}`),
          );
          const sorted = local.toSorted(compareUtf8);
          const items = sorted.map((path): Item => ({ path, size: 1 }));
          const merged = { upload: [] as string[], delete: [] as string[], unchanged: 0 };
          for (let index = 0; index === 0 || index < items.length; index += size) {
            const after = index === 0 ? null : sorted[index - 1];
            const response = await call(
              { prefix: "in", items: items.slice(index, index + size), after, last: index + size >= items.length },
              bucket,
            );
            expect(response.status).toBe(200);
            const plan = (await response.json()) as typeof merged;
            merged.upload.push(...plan.upload);
            merged.delete.push(...plan.delete);
            merged.unchanged += plan.unchanged;
          }
          expect(merged).toEqual({
            upload: sorted.filter((path) => !stored.includes(path)),
            delete: stored.filter((path) => !local.includes(path)).toSorted(compareUtf8),
            unchanged: local.filter((path) => stored.includes(path)).length,
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it("rejects unsorted, duplicate, invalid and overlong paths", async () => {
    const { call } = await startSync();
    const items = (...paths: string[]) => ({ items: paths.map((path) => ({ path, size: 1 })) });
    const cases: [object, Record<string, string[]>][] = [
      [items("b", "a"), { items: ["unsorted"] }],
      [items("\u{1d4b3}", "\uffee"), { items: ["unsorted"] }],
      [items("a", "a"), { items: ["duplicate"] }],
      [items("\u00e9", "e\u0301"), { items: ["duplicate"] }],
      [{ ...items("a"), after: "b" }, { items: ["unsorted"] }],
      [{ ...items("a"), after: "a" }, { items: ["unsorted"] }],
      [
        { items: Array.from({ length: 5001 }, (_, index) => ({ path: String(index), size: 1 })) },
        { items: ["too_many"] },
      ],
      [items("a", "../b"), { "items.1.path": ["invalid"] }],
      [items("a\u0000"), { "items.0.path": ["invalid"] }],
      [items(""), { "items.0.path": ["invalid"] }],
      [
        { ...items("a".repeat(255)), prefix: Array(4).fill("b".repeat(250)).join("/") },
        { "items.0.path": ["invalid"] },
      ],
      [{ items: [{ path: "a", size: -1 }] }, { "items.0.size": ["out_of_range"] }],
      [{ items: [{ path: "a", size: 1.5 }] }, { "items.0.size": ["invalid"] }],
      [{ items: [{ path: "a" }] }, { "items.0.size": ["required"] }],
      [{ items: "a" }, { items: ["invalid"] }],
      [{}, { items: ["required"] }],
      [{ ...items("a"), prefix: "../x" }, { prefix: ["invalid"] }],
      [{ ...items("a"), after: "a/../b" }, { after: ["invalid"] }],
      [{ ...items("a"), last: "no" }, { last: ["invalid"] }],
    ];
    for (const [json, field_errors] of cases) {
      const response = await call(json);
      expect([response.status, await response.json()], JSON.stringify(json).slice(0, 100)).toMatchObject([
        400,
        { field_errors },
      ]);
    }
    expect((await call(items("\uffee", "\u{1d4b3}"))).status).toBe(200);
    expect(await readError(await call(items("a"), "nowhere"))).toEqual([404, "bucket_not_found"]);
  });

  it("returns whether the files fit the remaining quotas of company and user", async () => {
    const { put, sync, companyId, owner } = await startSync();
    await put("a.txt", "12345");
    await put("b.txt", "12345", { bearer: owner });
    const company = eq(company_quotas.company_id, companyId);
    await updateRows(company_quotas, { max_bytes: 12 }, company);
    const syncOne = (path: string, size: number) => sync({ items: [{ path, size }], last: false });
    expect(await syncOne("a.txt", 7)).toMatchObject({ bytes_needed: 2, fits: true, remaining_bytes: 2 });
    expect(await syncOne("a.txt", 8)).toMatchObject({ bytes_needed: 3, fits: false });
    await updateRows(company_quotas, { max_bytes: null }, company);
    expect(await syncOne("a.txt", 800)).toMatchObject({ fits: true, remaining_bytes: null });
    await updateRows(company_quotas, { max_bytes_per_user: 9 }, company);
    expect(await syncOne("a.txt", 9)).toMatchObject({ bytes_needed: 4, fits: true, remaining_bytes: 4 });
    expect(await syncOne("b.txt", 4)).toMatchObject({ bytes_needed: 0, fits: true });
    expect(await syncOne("b.txt", 6)).toMatchObject({ bytes_needed: 1, fits: false });
  });

  it("reads only the rows of 5,000 items and of at most 5,000 deletions", async () => {
    const { bucket, sync } = await startSync();
    await storeManyObjects(bucket, 30_000, (i) => ({ name: sql`printf('%05d', ${i})`, parent: "" }));
    const items = Array.from({ length: 5000 }, (_, index) => ({
      path: String(index + 1).padStart(5, "0"),
      size: index % 2 === 0 ? 1 : 2,
    }));
    const metered = meterDatabase(testEnv.DB);
    const plan = await sync({ items }, metered.db);
    expect(plan).toMatchObject({ unchanged: 2500, bytes_needed: 2500, delete_truncated: true });
    expect([plan.upload.length, plan.delete.length, plan.delete[0]]).toEqual([2500, 5000, "05001"]);
    const statements = metered.takeStatements();
    expect(statements).toHaveLength(3);
    expect(statements.reduce((sum, { read }) => sum + read, 0)).toBeLessThanOrEqual(45_000);
    const longItems = Array.from({ length: 5000 }, (_, index) => ({
      path: `${"p/".repeat(380)}${String(index).padStart(5, "0")}`,
      size: 1,
    }));
    expect(await sync({ items: longItems, prefix: "new" })).toMatchObject({
      unchanged: 0,
      bytes_needed: 5000,
      delete: [],
    });
  }, 60_000);
});

describe("byte order", () => {
  it("sorts any strings by their UTF-8 bytes", () => {
    const text = fc.string({ unit: "binary" });
    const expectSameOrder = (a: string, b: string) =>
      void expect(Math.sign(compareBytes(a, b))).toBe(compareUtf8(a, b));
    void fc.assert(fc.property(text, text, expectSameOrder));
    void fc.assert(fc.property(text, text, text, (start, a, b) => expectSameOrder(`${start}${a}`, `${start}${b}`)));
  });
});

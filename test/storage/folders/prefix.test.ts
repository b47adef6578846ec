import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { event_log } from "../../../db/kit/webhooks";
import { company_quotas, storage_objects } from "../../../db/storage/schema";
import { loseAnswer } from "../../support/db/lost-answer";
import { meterDatabase } from "../../support/db/metered-database";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { bucketOf, storeManyObjects, storeObjects } from "../../support/storage/stored-objects";
import { eventsWhere, readRows } from "../../support/webhooks/rows";

const path = "/storage/v1/object/prefix/company";

async function startFolders() {
  const files = await startFiles();
  const { storage, member, companyId } = files;
  await storage.call("/storage/v1/bucket", { bearer: member });
  const bucket = await bucketOf(companyId);
  const count = async (prefix: string) =>
    (await storage.call(`${path}?prefix=${encodeURIComponent(prefix)}`, { bearer: member })).json();
  const rename = (from: unknown, to: unknown, DB?: D1Database) =>
    storage.call(path, { bearer: member, json: { from, to }, ...(DB ? { bindings: { DB } } : {}) });
  const remove = (json: object) => storage.call(path, { method: "DELETE", bearer: member, json });
  const names = async () => {
    const rows = await readRows(storage_objects, eq(storage_objects.company_id, companyId), asc(storage_objects.name));
    return rows.map(({ name }) => name);
  };
  const list = async (prefix: string) => {
    const response = await storage.call("/storage/v1/object/list/company", { bearer: member, json: { prefix } });
    return ((await response.json()) as { name: string }[]).map(({ name }) => name);
  };
  const renames = async () => {
    const type = eq(event_log.event_type, "storage.prefix.renamed");
    return (await eventsWhere(and(eq(event_log.company_id, companyId), type))).map(({ data }) => JSON.parse(data));
  };
  return { ...files, bucket, count, rename, remove, names, list, renames };
}

describe("folders", () => {
  it("counts the objects and bytes below a folder", async () => {
    const { put, count, storage, member } = await startFolders();
    await put("a/1.txt", "one");
    await put("a/b/2.txt", "two!");
    await put("a/c/.emptyFolderPlaceholder", "");
    await put("ab/3.txt", "three");
    await put("a", "file");
    expect(await count("a/")).toEqual({
      prefix: "a",
      object_count: 3,
      file_count: 2,
      placeholder_count: 1,
      total_bytes: 7,
    });
    expect(await count("")).toMatchObject({ object_count: 5, total_bytes: 16 });
    expect(await count("nowhere")).toMatchObject({ prefix: "nowhere", object_count: 0, total_bytes: 0 });
    const rejected = await storage.call(`${path}?prefix=..%2Fa`, { bearer: member });
    expect(await readError(rejected)).toEqual([400, "validation_failed"]);
  });

  it("renames a folder with one event, in two round trips", async () => {
    const { put, rename, names, list, renames, get, storage } = await startFolders();
    for (const name of ["a/1.txt", "a/b/2.txt", "a-b/3.txt", "a.txt", "a/b c/\u{1d4b3}.txt"]) await put(name, name);
    const before = storage.roundTrips();
    const renamed = await rename("/a/", "x\\y");
    expect(storage.roundTrips() - before).toBe(2);
    expect(await renamed.json()).toEqual({ from: "a", to: "x/y", moved: 3 });
    expect(await names()).toEqual(["a-b/3.txt", "a.txt", "x/y/1.txt", "x/y/b c/\u{1d4b3}.txt", "x/y/b/2.txt"]);
    expect(await list("x/y")).toEqual(["b", "b c", "1.txt"]);
    expect(await list("x/y/b c")).toEqual(["\u{1d4b3}.txt"]);
    expect(await (await get("x/y/b/2.txt")).text()).toBe("a/b/2.txt");
    expect(await renames()).toEqual([{ bucket_name: "company", from: "a", to: "x/y", object_count: 3 }]);
  });

  it("rejects a new path that is taken or invalid, and accepts an unchanged one without an event", async () => {
    const { bucket, rename, names, renames } = await startFolders();
    const stored = [
      "a/1",
      "a/b/2",
      "c/3",
      "d",
      `e/${"f".repeat(250)}/${"g".repeat(250)}/${"h".repeat(250)}/${"i".repeat(250)}`,
    ];
    await storeObjects(bucket, stored);
    const cases: [unknown, unknown, string][] = [
      ["a", "c", "resource_already_exists"],
      ["a", "d", "resource_already_exists"],
      ["a/b", "a", "resource_already_exists"],
      ["a", "a/x", "invalid_destination"],
      ["a", "", "invalid_destination"],
      ["e", "longer-than-it-may-be-1", "invalid_destination"],
      ["", "x", "invalid_prefix"],
      ["/", "x", "invalid_prefix"],
      ["x", "y", "folder_not_found"],
      ["d", "y", "folder_not_found"],
      ["a", "../x", "validation_failed"],
      ["a\u0000", "x", "validation_failed"],
      [1, "x", "validation_failed"],
    ];
    for (const [from, to, code] of cases)
      expect((await readError(await rename(from, to)))[1], `${from} ${to}`).toBe(code);
    const messageOf = async (from: string, to: string) =>
      ((await (await rename(from, to)).json()) as { message: string }).message;
    expect(await messageOf("a", "c")).toBe("There is an object at the new path or below it; nothing is replaced.");
    expect(await messageOf("a", "")).toBe("A folder cannot be moved to the top.");
    expect(await messageOf("a", "a/x")).toBe("A folder cannot be moved into itself.");
    expect(await messageOf("e", "longer-than-it-may-be-1")).toBe(
      "A path below the folder would be longer than 1024 bytes.",
    );
    expect(await (await rename("a", "a/")).json()).toEqual({ from: "a", to: "a", moved: 0 });
    expect(await names()).toEqual(stored);
    expect(await renames()).toEqual([]);
  });

  it("emits no event for the rename of a folder that contains only markers", async () => {
    const { put, rename, renames } = await startFolders();
    await put("a/.emptyFolderPlaceholder", "");
    expect(await (await rename("a", "b")).json()).toEqual({ from: "a", to: "b", moved: 1 });
    expect(await renames()).toEqual([]);
  });

  it("renames a folder once, with one event and a correct response, when the batch is repeated", async () => {
    const { put, rename, names, renames } = await startFolders();
    await put("a/1.txt", "one");
    expect(await (await rename("a", "b", loseAnswer(testEnv.DB, 1))).json()).toEqual({ from: "a", to: "b", moved: 1 });
    expect([await names(), (await renames()).length]).toEqual([["b/1.txt"], 1]);
  });

  it("renames a folder of 10,000 objects, and rejects a larger one without reading all of its objects", async () => {
    const { bucket, rename, count, storage, member } = await startFolders();
    const name = (i: SQL) => ({ name: sql`printf('many/%05d', ${i})`, parent: "many\u0001" });
    await storeManyObjects(bucket, 10_001, name);
    const huge = (i: SQL) => ({ name: sql`printf('huge/%05d', ${i})`, parent: "huge\u0001" });
    await storeManyObjects(bucket, 50_000, huge);
    const metered = meterDatabase(testEnv.DB);
    expect(await readError(await rename("huge", "more", metered.db))).toEqual([409, "prefix_too_large"]);
    // Each of the three statements reads at most the limit of rows.
    expect(metered.takeStatements().reduce((sum, { read }) => sum + read, 0)).toBeLessThanOrEqual(30_100);
    expect(await readError(await rename("many", "more"))).toEqual([409, "prefix_too_large"]);
    await storage.call("/storage/v1/object/company/many/00001", { method: "DELETE", bearer: member });
    expect(await (await rename("many", "more", metered.db)).json()).toMatchObject({ moved: 10_000 });
    // The statements are the bucket, the checks, the event, the rename and its count, and the event's deliveries and
    // posts.
    expect(metered.takeStatements().length).toBeLessThanOrEqual(8);
    expect(await count("more")).toMatchObject({ object_count: 10_000 });
  }, 60_000);

  it("deletes everything below a folder, with an event for each file, and releases the bytes", async () => {
    const { put, remove, names, companyId } = await startFolders();
    for (const name of ["a/1", "a/b/2", "ab/3"]) await put(name, "12345");
    await put("a/.emptyFolderPlaceholder", "");
    expect(await (await remove({ prefix: "a" })).json()).toEqual({
      prefix: "a",
      deleted: true,
      count: 3,
      complete: true,
    });
    expect(await names()).toEqual(["ab/3"]);
    const type = eq(event_log.event_type, "storage.object.deleted");
    expect(await eventsWhere(and(eq(event_log.company_id, companyId), type))).toHaveLength(2);
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 5, object_count: 1 },
    ]);
    expect(await (await remove({ prefix: "a" })).json()).toEqual({
      prefix: "a",
      deleted: false,
      count: 0,
      complete: true,
    });
    for (const prefix of ["", "/", "./"])
      expect(await readError(await remove({ prefix }))).toEqual([400, "invalid_prefix"]);
    for (const json of [{}, { prefix: null }, { prefix: "a/.." }, { prefix: "a\u0000" }])
      expect(await readError(await remove(json))).toEqual([400, "validation_failed"]);
  });

  it("deletes a folder with more objects than one batch", async () => {
    const { bucket, remove } = await startFolders();
    await storeManyObjects(bucket, 1200, (i) => ({ name: sql`printf('many/%05d', ${i})`, parent: "many\u0001" }));
    expect(await (await remove({ prefix: "many" })).json()).toMatchObject({ count: 1200, complete: true });
  }, 60_000);

  it("returns 404 for a bucket of another company", async () => {
    const { storage, member } = await startFolders();
    const other = await startFiles();
    await other.storage.call("/storage/v1/bucket", { bearer: other.owner, json: { name: "secrets" } });
    const secrets = "/storage/v1/object/prefix/secrets";
    for (const init of [{}, { json: { from: "a", to: "b" } }, { method: "DELETE", json: { prefix: "a" } }])
      expect(await readError(await storage.call(secrets, { bearer: member, ...init }))).toEqual([
        404,
        "bucket_not_found",
      ]);
  });
});

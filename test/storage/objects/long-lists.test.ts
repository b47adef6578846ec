import { describe, expect, it } from "vitest";
import { boundedDatabase } from "../../support/db/bounded-database";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { bucketOf, storeObjects } from "../../support/storage/stored-objects";

/** A thousand paths of 1,024 bytes, most of which JSON writes as two characters, or as one of three bytes. */
const longPaths = (char: string, bytes: number, count = 1000) =>
  Array.from({ length: count }, (_, at) => {
    const folder = `${char.repeat(Math.floor(255 / bytes))}/`.repeat(3);
    return `${folder}${char.repeat(Math.floor(240 / bytes))}${String(at).padStart(4, "0")}`;
  });

describe.each([
  ['"', 1],
  ["国", 3],
])("a thousand of the longest paths of %s", (char, bytes) => {
  async function start() {
    const files = await startFiles({ DB: boundedDatabase(testEnv.DB) });
    await files.storage.call("/storage/v1/bucket", { bearer: files.member });
    const paths = longPaths(char, bytes);
    const stored = [paths[0] ?? "", paths[999] ?? ""];
    await storeObjects(await bucketOf(files.companyId), stored);
    return { ...files, paths, stored };
  }

  it("deletes a thousand of the longest paths in one request", async () => {
    const { storage, member, paths, stored } = await start();
    const json = { prefixes: paths };
    const answer = await storage.call("/storage/v1/object/company", { method: "DELETE", bearer: member, json });
    expect([answer.status, await answer.json()]).toEqual([200, stored.map((name) => ({ name }))]);
  });

  it("signs a thousand of the longest paths in one request", async () => {
    const { storage, member, paths, stored } = await start();
    const answer = await storage.call("/storage/v1/object/sign/company", { bearer: member, json: { paths } });
    expect(answer.status).toBe(200);
    const signed = (await answer.json()) as { path: string; error: string | null }[];
    expect(signed.map(({ path }) => path)).toEqual(paths);
    expect(signed.flatMap(({ path, error }) => (error === null ? [path] : []))).toEqual(stored);
  });

  it("compares the longest paths in one request, five thousand at once", async () => {
    const { storage, member, stored } = await start();
    const items = longPaths(char, bytes, 5000).map((path) => ({ path, size: 1 }));
    const answer = await storage.call("/storage/v1/sync/company", { bearer: member, json: { items } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { unchanged: stored.length, delete: [] }]);
  });
});

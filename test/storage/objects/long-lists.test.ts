import { describe, expect, it } from "vitest";
import { boundedDatabase } from "../../support/db/bounded-database";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { bucketOf, storeObjects } from "../../support/storage/stored-objects";

/** Returns paths of 1,024 bytes with the longest possible JSON: `"` needs two characters, `国` three bytes. */
const longPaths = (char: string, bytes: number, count = 1000) =>
  Array.from({ length: count }, (_, index) => {
    const folder = `${char.repeat(Math.floor(255 / bytes))}/`.repeat(3);
    return `${folder}${char.repeat(Math.floor(240 / bytes))}${String(index).padStart(4, "0")}`;
  });

describe.each([
  ['"', 1],
  ["国", 3],
])("the longest paths of %s", (char, bytes) => {
  async function start() {
    const files = await startFiles({ DB: boundedDatabase(testEnv.DB) });
    await files.storage.call("/storage/v1/bucket", { bearer: files.member });
    const paths = longPaths(char, bytes);
    const stored = [paths[0] ?? "", paths[999] ?? ""];
    await storeObjects(await bucketOf(files.companyId), stored);
    return { ...files, paths, stored };
  }

  it("are deleted in one request of a thousand", async () => {
    const { storage, member, paths, stored } = await start();
    const json = { prefixes: paths };
    const response = await storage.call("/storage/v1/object/company", { method: "DELETE", bearer: member, json });
    expect([response.status, await response.json()]).toEqual([200, stored.map((name) => ({ name }))]);
  });

  it("are signed in one request of a thousand", async () => {
    const { storage, member, paths, stored } = await start();
    const response = await storage.call("/storage/v1/object/sign/company", { bearer: member, json: { paths } });
    expect(response.status).toBe(200);
    const signed = (await response.json()) as { path: string; error: string | null }[];
    expect(signed.map(({ path }) => path)).toEqual(paths);
    expect(signed.flatMap(({ path, error }) => (error === null ? [path] : []))).toEqual(stored);
  });

  it("are compared in one request of five thousand", async () => {
    const { storage, member, stored } = await start();
    const items = longPaths(char, bytes, 5000).map((path) => ({ path, size: 1 }));
    const response = await storage.call("/storage/v1/sync/company", { bearer: member, json: { items } });
    expect([response.status, await response.json()]).toMatchObject([200, { unchanged: stored.length, delete: [] }]);
  });
});

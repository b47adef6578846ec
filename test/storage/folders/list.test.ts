import { sql } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meterDatabase } from "../../support/db/metered-database";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { testEnv } from "../../support/storage/storage";
import { bucketOf, storeManyObjects, storeObjects } from "../../support/storage/stored-objects";

type Row = { id: string | null; name: string; folder_id?: string | null };
type Page = { names: string[]; rows: Row[]; next: string | null };

async function startLists() {
  const metered = meterDatabase(testEnv.DB);
  const files = await startFiles();
  const { storage, member, companyId } = files;
  await storage.call("/storage/v1/bucket", { bearer: member });
  const bucket = await bucketOf(companyId);
  const call = (json: object, name = "company") =>
    storage.call(`/storage/v1/object/list/${name}`, { bearer: member, json, bindings: { DB: metered.db } });
  /** Returns a page as names; the names of folders end in a slash. */
  async function list(json: object): Promise<Page> {
    const response = await call(json);
    expect(response.status).toBe(200);
    const rows = (await response.json()) as Row[];
    const names = rows.map(({ id, name }) => (id === null ? `${name}/` : name));
    return { names, rows, next: response.headers.get("x-next-cursor") };
  }
  /** Reads all pages by cursor and returns their names. */
  async function listAll(json: object): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list({ ...json, ...(cursor === null ? {} : { cursor }) });
      names.push(...page.names);
      cursor = page.next;
    } while (cursor !== null);
    return names;
  }
  const listV2 = async (json: object) => {
    const response = await storage.call("/storage/v1/object/list-v2/company", { bearer: member, json });
    expect(response.status).toBe(200);
    return (await response.json()) as {
      hasNext: boolean;
      nextCursor?: string;
      folders: { name: string; key: string }[];
      objects: { name: string; key: string; id: string }[];
    };
  };
  return { ...files, bucket, call, list, listAll, listV2, metered };
}

const compareUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("folder lists", () => {
  it("lists folders, then files, in the format of current clients", async () => {
    const { put, list, memberId } = await startLists();
    await put("reports/2026/a.txt", "a");
    await put("reports/.emptyFolderPlaceholder", "");
    await put("plan.pdf", "plan", {
      headers: { "content-type": "application/pdf", "x-metadata": '{"eTag":"mine","k":1}' },
    });
    const { rows } = await list({ prefix: "", limit: 100, offset: 0, sortBy: { column: "name", order: "asc" } });
    const folderId = (await list({ prefix: "reports" })).rows.find(({ name }) => name.startsWith("."))?.id;
    const access = { audience: "company", can_write: true };
    expect(rows).toMatchObject([
      {
        id: null,
        name: "reports",
        bucket_id: "company",
        folder_id: folderId,
        metadata: null,
        updated_at: null,
        access,
      },
      {
        id: expect.any(String),
        name: "plan.pdf",
        bucket_id: "company",
        owner: String(memberId),
        version: 1,
        created_at: expect.stringMatching(/Z$/),
        last_accessed_at: null,
        metadata: {
          k: 1,
          eTag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
          size: 4,
          mimetype: "application/pdf",
          httpStatusCode: 200,
        },
        access: { owner_id: memberId },
      },
    ]);
  });

  it("returns the same rows by cursor and by offset in each sort order", async () => {
    const { bucket, list, listAll } = await startLists();
    const folders = ["a", "a b", "a-b", "a.b", "a/b", "aa", "b", "c-", "c-/d", "c--d", "é", "𝒳", "\uffee"];
    const files = ["a", "a.txt", "b-1", "z", "é.txt", "𝒳.txt", "\uffee.txt"];
    await storeObjects(bucket, [
      ...folders.map((folder) => `in/${folder}/deep/x`),
      ...files.map((name) => `in/${name}`),
    ]);
    const names = [...new Set(folders.map((folder) => folder.split("/")[0] ?? ""))].toSorted(compareUtf8);
    const [asc, desc] = [names, names.toReversed()].map((list) => list.map((name) => `${name}/`));
    const sorted = files.toSorted(compareUtf8);
    const cases: [object, string[]][] = [
      [{ column: "name", order: "asc" }, [...(asc ?? []), ...sorted]],
      [{ column: "name", order: "desc" }, [...(desc ?? []), ...sorted.toReversed()]],
      [{ column: "created_at", order: "asc" }, [...(asc ?? []), ...files]],
      [{ column: "created_at", order: "desc" }, [...(asc ?? []), ...files.toReversed()]],
      [{ column: "updated_at", order: "asc" }, [...(asc ?? []), ...files.toReversed()]],
      [{ column: "updated_at", order: "desc" }, [...(asc ?? []), ...files]],
    ];
    for (const [sortBy, expected] of cases) {
      for (const limit of [1, 3, 1000]) expect(await listAll({ prefix: "in/", limit, sortBy })).toEqual(expected);
      for (const offset of [0, 1, 11, 12, 13, 18, 19, 50]) {
        const page = await list({ prefix: "in", limit: 4, offset, sortBy });
        expect(page.names, `${JSON.stringify(sortBy)} ${offset}`).toEqual(expected.slice(offset, offset + 4));
      }
    }
  });

  it("finds names with a prefix in every sort order", async () => {
    const { bucket, list, listAll } = await startLists();
    await storeObjects(bucket, ["ab.txt", "abc.txt", "ac.txt", "b.txt", "abd/x", "ab/x/y", "ac/x", "b/ab.txt"]);
    for (const limit of [1, 2, 10])
      expect(await listAll({ search: "ab", limit })).toEqual(["ab/", "abd/", "ab.txt", "abc.txt"]);
    const sortBy = { column: "created_at", order: "desc" };
    for (const limit of [1, 3, 10])
      expect(await listAll({ search: "ab", limit, sortBy })).toEqual(["ab/", "abd/", "abc.txt", "ab.txt"]);
    expect((await list({ search: "ab", offset: 3, sortBy })).names).toEqual(["ab.txt"]);
    expect((await list({ search: "ab.txt" })).names).toEqual(["ab.txt"]);
    expect((await list({ search: "%" })).names).toEqual([]);
  });

  it("returns the same folders and files as a model for any tree", async () => {
    const { storage, owner, member, companyId } = await startLists();
    const segment = fc.constantFrom("a", "a-", "a b", "ab", "b", "é", "𝒳", "\uffee", "-", "~");
    const tree = fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 30 });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom("asc", "desc"),
        async (paths, limit, order) => {
          const name = `model-${++number}`;
          await storage.call("/storage/v1/bucket", { bearer: owner, json: { name } });
          const names = [...new Set(paths.map((path) => path.join("/")))];
          await storeObjects(await bucketOf(companyId, name), names);
          const sign = order === "asc" ? 1 : -1;
          const sorted = (all: string[]) => [...new Set(all)].toSorted((a, b) => sign * compareUtf8(a, b));
          const folders = sorted(names.filter((path) => path.includes("/")).map((path) => path.split("/")[0] ?? ""));
          const expected = [
            ...folders.map((folder) => `${folder}/`),
            ...sorted(names.filter((path) => !path.includes("/"))),
          ];
          const listed: string[] = [];
          let cursor: string | null = null;
          do {
            const json: object = { limit, sortBy: { order }, ...(cursor === null ? {} : { cursor }) };
            const response = await storage.call(`/storage/v1/object/list/${name}`, { bearer: member, json });
            const rows = (await response.json()) as Row[];
            listed.push(...rows.map(({ id, name }) => (id === null ? `${name}/` : name)));
            cursor = response.headers.get("x-next-cursor");
          } while (cursor !== null);
          expect(listed).toEqual(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("runs at most three statements, and reads only the rows of the page for any folder size", async () => {
    const { bucket, list, metered } = await startLists();
    await storeManyObjects(bucket, 100_000, (i) => ({
      name: sql`printf('files/%06d.txt', ${i})`,
      parent: "files\u0001",
    }));
    await storeManyObjects(bucket, 100_000, (i) => ({
      name: sql`printf('many/%05d/%d', ${i} / 10, ${i})`,
      parent: sql`printf('many' || char(1) || '%05d' || char(1), ${i} / 10)`,
    }));
    const costs: Record<string, [number, number]> = {};
    const measure = async (title: string, json: object) => {
      metered.takeStatements();
      const page = await list(json);
      const statements = metered.takeStatements();
      costs[title] = [statements.length, statements.reduce((sum, { read }) => sum + read, 0)];
      return page;
    };
    const first = await measure("files", { prefix: "files", limit: 100 });
    expect(first.names[99]).toBe("000100.txt");
    const second = await measure("behind", { prefix: "files", limit: 100, cursor: first.next });
    expect(second.names[0]).toBe("000101.txt");
    await measure("newest", { prefix: "files", limit: 100, sortBy: { column: "created_at", order: "desc" } });
    const matches = await measure("found", { prefix: "files", limit: 100, search: "0999" });
    expect(matches.names[0]).toBe("099900.txt");
    const folders = await measure("folders", { prefix: "many", limit: 100 });
    expect([folders.names[0], folders.names[99]]).toEqual(["00000/", "00099/"]);
    await measure("more folders", { prefix: "many", limit: 100, cursor: folders.next });
    await measure("last folders", { prefix: "many", limit: 100, sortBy: { order: "desc" } });
    await measure("top", { prefix: "", limit: 100 });
    for (const [title, [statements, read]] of Object.entries(costs)) {
      expect(statements, title).toBeLessThanOrEqual(3);
      expect(read, title).toBeLessThanOrEqual(320);
    }
    await measure("far", { prefix: "files", limit: 100, offset: 10_000 });
    expect(costs.far?.[1]).toBeLessThanOrEqual(10_320);
    await measure("sorted", { prefix: "files", limit: 100, search: "0", sortBy: { column: "created_at" } });
    expect(costs.sorted?.[1]).toBeLessThanOrEqual(20_500);
  }, 60_000);

  it("rejects each invalid field and returns 404 for buckets of other companies", async () => {
    const { call, list } = await startLists();
    const deepOffset = await (await call({ offset: 10_001 })).json();
    expect(deepOffset).toMatchObject({ error_code: "validation_failed", field_errors: { offset: ["use_cursor"] } });
    const cases: [object, string][] = [
      [{ prefix: "../x" }, "prefix"],
      [{ prefix: "a/../../b" }, "prefix"],
      [{ prefix: "a\u0000" }, "prefix"],
      [{ prefix: "x".repeat(256) }, "prefix"],
      [{ prefix: 1 }, "prefix"],
      [{ search: "a/b" }, "search"],
      [{ search: "a\u0000" }, "search"],
      [{ limit: 0 }, "limit"],
      [{ limit: 1001 }, "limit"],
      [{ limit: "10" }, "limit"],
      [{ offset: -1 }, "offset"],
      [{ offset: 1.5 }, "offset"],
      [{ cursor: "nonsense" }, "cursor"],
      [{ cursor: "W10" }, "cursor"],
      [{ sortBy: { column: "size" } }, "sortBy.column"],
      [{ sortBy: { order: "up" } }, "sortBy.order"],
      [{ sortBy: "name" }, "sortBy"],
    ];
    for (const [json, field] of cases) {
      const response = await call(json);
      const { field_errors } = (await response.json()) as { field_errors: Record<string, string[]> };
      expect([response.status, Object.keys(field_errors)], JSON.stringify(json)).toEqual([400, [field]]);
    }
    const nameCursor = btoa(JSON.stringify(["f", "a"])).replace(/=+$/, "");
    expect(await readError(await call({ cursor: nameCursor, sortBy: { column: "created_at" } }))).toEqual([
      400,
      "validation_failed",
    ]);
    expect((await list({ prefix: "no/such" })).names).toEqual([]);
    const others = await startFiles();
    await others.storage.call("/storage/v1/bucket", { bearer: others.owner, json: { name: "secrets" } });
    expect(await readError(await call({}, "secrets"))).toEqual([404, "bucket_not_found"]);
    expect(await readError(await call({}, "%00"))).toEqual([404, "bucket_not_found"]);
  });

  it("returns an empty list for a company that has stored nothing", async () => {
    const { storage, member } = await startFiles();
    const response = await storage.call("/storage/v1/object/list/company", { bearer: member, json: {} });
    expect([response.status, await response.json()]).toEqual([200, []]);
  });
});

describe("flat lists", () => {
  it("lists all objects with a path prefix, page by page", async () => {
    const { bucket, listV2 } = await startLists();
    await storeObjects(bucket, ["a/x", "a/b/y", "ab/z", "a.txt", "b"]);
    const first = await listV2({ prefix: "a", limit: 3 });
    expect(first).toMatchObject({
      hasNext: true,
      folders: [],
      objects: [{ name: "a.txt" }, { name: "a/b/y", key: "a/b/y" }, { name: "a/x" }],
    });
    expect(await listV2({ prefix: "a", limit: 3, cursor: first.nextCursor })).toMatchObject({
      hasNext: false,
      objects: [{ name: "ab/z" }],
    });
    const inFolder = await listV2({ prefix: "a/", limit: 1, sortBy: { column: "name", order: "desc" } });
    expect(inFolder.objects.map(({ name }) => name)).toEqual(["a/x"]);
    const nextPage = await listV2({
      prefix: "a/",
      sortBy: { column: "name", order: "desc" },
      cursor: inFolder.nextCursor,
    });
    expect(nextPage).toMatchObject({ hasNext: false, objects: [{ name: "a/b/y" }] });
    expect((await listV2({})).objects).toHaveLength(5);
  });

  it("lists folders and objects of one folder separately with a delimiter", async () => {
    const { bucket, listV2 } = await startLists();
    await storeObjects(bucket, ["a/x", "a/b/y", "a/bc/y", "ab/z"]);
    expect(await listV2({ prefix: "a/", with_delimiter: true })).toMatchObject({
      hasNext: false,
      folders: [
        { name: "a/b/", key: "a/b/" },
        { name: "a/bc/", key: "a/bc/" },
      ],
      objects: [{ name: "a/x", key: "a/x" }],
    });
    const first = await listV2({ prefix: "a/b", with_delimiter: true, limit: 1 });
    expect([first.folders, first.objects]).toEqual([[{ name: "a/b/", key: "a/b/" }], []]);
    const second = await listV2({ prefix: "a/b", with_delimiter: true, limit: 1, cursor: first.nextCursor });
    expect([second.folders, second.hasNext]).toEqual([[{ name: "a/bc/", key: "a/bc/" }], false]);
  });
});

it("continues a list with a cursor after any valid path", async () => {
  const { bucket, listAll, listV2 } = await startLists();
  const folder = (char: string) => `${char.repeat(255)}/`.repeat(3);
  const paths = ['"', "a"].map((char) => `${folder(char)}${char.repeat(255)}x`.slice(0, 1023));
  const names = paths.flatMap((path) => [`${path.slice(0, -1)}1`, `${path.slice(0, -1)}2`]);
  await storeObjects(bucket, names);
  for (const with_delimiter of [false, true]) {
    const prefix = with_delimiter ? folder('"') : "";
    const first = await listV2({ prefix, limit: 1, with_delimiter });
    expect(first.objects.map(({ key }) => key)).toEqual(names.slice(0, 1));
    const next = await listV2({ prefix, limit: 1, with_delimiter, cursor: first.nextCursor });
    expect(next.objects.map(({ key }) => key)).toEqual(names.slice(1, 2));
  }
  for (const column of ["name", "updated_at"]) {
    const all = await listAll({ prefix: folder('"').slice(0, -1), limit: 1, sortBy: { column, order: "asc" } });
    expect(all.toSorted()).toEqual(names.slice(0, 2).map((name) => name.slice(768)));
  }
});

import { describe, expect, it } from "vitest";
import { freshCompany, readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";

describe("object metadata", () => {
  it("returns object metadata by path and by id, only to members of the company", async () => {
    const { put, storage, member, memberId } = await startFiles();
    const { Id } = (await (
      await put("docs/r\u00e9sum\u00e9.txt", "hello", { headers: { "cache-control": "max-age=60" } })
    ).json()) as { Id: string };
    const info = (path: string, bearer = member) => storage.call(`/storage/v1/object/${path}`, { bearer });
    for (const path of [
      "info/company/docs/re%CC%81sum%C3%A9.txt",
      "info/authenticated/company/docs/r%C3%A9sum%C3%A9.txt",
    ]) {
      const before = storage.roundTrips();
      const response = await info(path);
      expect(storage.roundTrips() - before).toBe(1);
      expect(await response.json()).toMatchObject({
        id: Id,
        name: "docs/r\u00e9sum\u00e9.txt",
        bucket_id: "company",
        owner: String(memberId),
        version: 1,
        size: 5,
        content_type: "text/plain",
        cache_control: "max-age=60",
        etag: '"5d41402abc4b2a76b9719d911017c592"',
        metadata: { size: 5, cacheControl: "max-age=60" },
      });
    }
    expect(await (await info(`id/${Id}`)).json()).toEqual({
      id: Id,
      bucket: "company",
      path: "docs/r\u00e9sum\u00e9.txt",
      name: "r\u00e9sum\u00e9.txt",
      type: "file",
    });
    expect(await readError(await info("info/company/none.txt"))).toEqual([404, "object_not_found"]);
    expect(await readError(await info("info/nowhere/none.txt"))).toEqual([404, "bucket_not_found"]);
    expect(await readError(await info("info/company/a%2F..%2F..%2Fb"))).toEqual([400, "validation_failed"]);
    expect(await readError(await info("info/company/a%00b"))).toEqual([400, "validation_failed"]);
    const stranger = await storage.token({ companyId: freshCompany() });
    await put("a.txt", "a", { bearer: stranger });
    expect(await readError(await info(`id/${Id}`, stranger))).toEqual([404, "object_not_found"]);
    expect(await readError(await info("info/company/docs/r%C3%A9sum%C3%A9.txt", stranger))).toEqual([
      404,
      "object_not_found",
    ]);
    for (const id of ["1", "x".repeat(36), Id.toUpperCase(), "%00"]) expect((await info(`id/${id}`)).status).toBe(404);
  });
});

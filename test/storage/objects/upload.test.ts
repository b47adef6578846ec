import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, quota_reservations, storage_blobs, user_quotas } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { readRows } from "../../support/webhooks/rows";

describe("single-request uploads", () => {
  it("stores an object that can be downloaded, with its MD5 as ETag", async () => {
    const { put, get, storage } = await startFiles();
    const before = storage.roundTrips();
    const stored = await put("reports/2026/résumé.txt", "hello", { headers: { "content-type": "text/plain" } });
    expect(stored.status).toBe(200);
    expect(await stored.json()).toEqual({ Id: expect.any(String), Key: "company/reports/2026/résumé.txt" });
    expect(stored.headers.get("etag")).toBe('"5d41402abc4b2a76b9719d911017c592"');
    expect(stored.headers.get("x-object-version")).toBe("1");
    expect(storage.roundTrips() - before).toBeLessThanOrEqual(5);
    const response = await get("reports/2026/résumé.txt");
    expect([response.status, await response.text()]).toEqual([200, "hello"]);
    expect(response.headers.get("content-type")).toBe("text/plain");
  });

  it("makes three round trips for a company that already has its bucket, and leaves no reservation", async () => {
    const { put, storage, companyId } = await startFiles();
    await put("first.txt", "1");
    const before = storage.roundTrips();
    expect((await put("second.txt", "22")).status).toBe(200);
    expect(storage.roundTrips() - before).toBe(3);
    expect(await readRows(quota_reservations, eq(quota_reservations.company_id, companyId))).toEqual([]);
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 3, reserved_bytes: 0, object_count: 2 },
    ]);
    expect(await readRows(user_quotas, eq(user_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 3, reserved_bytes: 0 },
    ]);
  });

  it("replaces the object of an existing path only with x-upsert or PUT", async () => {
    const { put, companyId, get } = await startFiles();
    await put("a.txt", "one");
    expect(await readError(await put("a.txt", "two"))).toEqual([400, "resource_already_exists"]);
    const replaced = await put("a.txt", "three", { headers: { "x-upsert": "true" } });
    expect([replaced.status, replaced.headers.get("x-object-version")]).toEqual([200, "2"]);
    expect(await (await get("a.txt")).text()).toBe("three");
    expect((await put("a.txt", "4", { method: "PUT" })).headers.get("x-object-version")).toBe("3");
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 1, reserved_bytes: 0, object_count: 1 },
    ]);
    const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
    expect(blobs.map(({ refs }) => refs).toSorted()).toEqual([0, 0, 1]);
  });
});

describe("content encodings of uploads", () => {
  const gzipped = async (text: string) =>
    new Uint8Array(
      await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
    );

  it("stores the content encoding and returns it with the unchanged bytes", async () => {
    const { put, get, storage, member } = await startFiles();
    const bytes = await gzipped("hello");
    const headers = { "content-encoding": "gzip", "content-type": "text/plain" };
    expect((await put("a.txt", bytes, { headers })).status).toBe(200);
    const json = { bucketId: "company", sourceKey: "a.txt", destinationKey: "b.txt" };
    expect((await storage.call("/storage/v1/object/copy", { bearer: member, json })).status).toBe(200);
    for (const path of ["a.txt", "b.txt"]) {
      const response = await get(path);
      expect([response.headers.get("content-encoding"), response.headers.get("content-length")]).toEqual([
        "gzip",
        String(bytes.length),
      ]);
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
      expect((await get(path, { method: "HEAD" })).headers.get("content-encoding")).toBe("gzip");
    }
    expect((await put("a.txt", "hello", { method: "PUT" })).status).toBe(200);
    expect((await get("a.txt")).headers.get("content-encoding")).toBeNull();
  });

  it("accepts a content encoding as a form field", async () => {
    const { get, storage, member } = await startFiles();
    const form = new FormData();
    form.append("contentEncoding", "br");
    form.append("", new Blob(["x"], { type: "text/plain" }));
    const sent = await storage.call("/storage/v1/object/company/a.txt", { method: "POST", bearer: member, body: form });
    expect(sent.status).toBe(200);
    expect((await get("a.txt")).headers.get("content-encoding")).toBe("br");
  });

  it("rejects invalid content encodings, and allows the header by CORS", async () => {
    const { put, storage } = await startFiles();
    for (const value of ["gzip;q=1", "a b", "x".repeat(101)]) {
      const response = await put("a.txt", "x", { headers: { "content-encoding": value } });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { field_errors: { "content-encoding": ["invalid"] } },
      ]);
    }
    const preflight = await storage.call("/storage/v1/object/company/a.txt", {
      method: "OPTIONS",
      headers: { origin: "https://app.example.com", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("content-encoding");
  });
});

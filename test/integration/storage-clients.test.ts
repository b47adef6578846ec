import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { StorageClient } from "@supabase/storage-js";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { company_quotas } from "../../db/storage/schema";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

// Runs Supabase's published client for JavaScript against the service behind the edge: supported calls succeed, and calls
// outside the contract return the documented error.

let platform: Platform;
let bearer: string;
let client: StorageClient;

beforeAll(async () => {
  platform = await sharePlatform();
  bearer = await signInAt(platform, "owner@example.com");
  client = new StorageClient(`${platform.url}/storage/v1`, { authorization: `Bearer ${bearer}`, apikey: bearer });
});
afterAll(() => platform?.close());

/** Returns the data of a client call, or fails the test with its error. */
async function dataOf<A extends { data: unknown; error: unknown }>(
  call: PromiseLike<A>,
): Promise<NonNullable<A["data"]>> {
  const { data, error } = await call;
  expect(error).toBeNull();
  return data as NonNullable<A["data"]>;
}

/** Downloads a file and returns its bytes. */
const downloadBytes = async (path: string) =>
  new Uint8Array(await (await dataOf(files().download(path))).arrayBuffer());

/** Returns the status and code of a rejected client call. */
async function readError(call: PromiseLike<{ error: unknown }>): Promise<[number | undefined, string | undefined]> {
  const { error } = (await call) as { error: { status?: number; statusCode?: string } | null };
  return [error?.status, error?.statusCode];
}

const files = () => client.from("company");
const md5 = (bytes: Uint8Array | string) => createHash("md5").update(bytes).digest("hex");

describe("uploads", () => {
  it("accept a Blob, a Buffer or a stream, which is downloaded unchanged", async () => {
    const bytes = randomBytes(200_000);
    const blob = new Blob([bytes], { type: "image/png" });
    const stream = () => new Blob([bytes]).stream();
    for (const [path, body] of [
      ["kinds/blob.png", blob],
      ["kinds/buffer.bin", bytes],
      ["kinds/stream.bin", stream()],
    ] as const) {
      const stored = await dataOf(files().upload(path, body, { contentType: "image/png", metadata: { by: "mina" } }));
      expect(stored).toEqual({ id: expect.any(String), path, fullPath: `company/${path}` });
      expect(md5(await downloadBytes(path))).toBe(md5(bytes));
      const info = await dataOf(files().info(path));
      expect(info).toMatchObject({ name: path, metadata: { size: bytes.length, by: "mina" } });
    }
    expect((await dataOf(files().download("kinds/blob.png"))).type).toBe("image/png");
  });

  it("are stored with their content encoding, which the client decodes", async () => {
    const text = "hello ".repeat(1000);
    const bytes = gzipSync(text);
    const options = { contentEncoding: "gzip", contentType: "text/plain" };
    for (const [path, body] of [
      ["encoded/buffer.txt", bytes],
      ["encoded/blob.txt", new Blob([bytes], { type: "text/plain" })],
    ] as const) {
      await dataOf(files().upload(path, body, options));
      expect(await (await dataOf(files().download(path))).text()).toBe(text);
      expect(await dataOf(files().info(path))).toMatchObject({ metadata: { size: bytes.length } });
      const { signedUrl } = await dataOf(files().createSignedUrl(path, 60));
      const response = await fetch(signedUrl);
      expect([response.headers.get("content-encoding"), await response.text()]).toEqual(["gzip", text]);
    }
  });

  it("require upsert or update for an existing path", async () => {
    await dataOf(files().upload("twice.txt", "one"));
    expect(await readError(files().upload("twice.txt", "two"))).toEqual([400, "400"]);
    await dataOf(files().upload("twice.txt", "three", { upsert: true }));
    await dataOf(files().update("twice.txt", "four"));
    expect(new TextDecoder().decode(await downloadBytes("twice.txt"))).toBe("four");
  });

  it("report a full quota while the body is still being sent", async () => {
    const { storage } = platform.rows;
    const isOfCompany = eq(company_quotas.company_id, 1);
    const [before] = await storage.readRows(company_quotas, isOfCompany);
    await storage.updateRows(company_quotas, { max_bytes: 1000 }, isOfCompany);
    try {
      const bytes = randomBytes(20 * 1024 * 1024);
      const blob = new Blob([bytes]);
      for (const bodyOf of [() => blob, () => bytes, () => blob.stream()]) {
        // A body of known size is rejected before it is read. A client that is still sending may then lose the response, so it
        // tries again.
        const upload = async () => (await files().upload("much.bin", bodyOf())).error?.message;
        await expect.poll(upload, { timeout: 30_000 }).toMatch(/^Company quota exceeded \(\d+ > 1000 bytes\)\.$/);
      }
    } finally {
      await storage.updateRows(company_quotas, { max_bytes: before?.max_bytes ?? null }, isOfCompany);
    }
  });
});

describe("files", () => {
  it("are moved, copied, described and removed", async () => {
    await dataOf(files().upload("work/draft.txt", "draft"));
    await dataOf(files().move("work/draft.txt", "work/final.txt"));
    await dataOf(files().copy("work/final.txt", "work/kopie ü.txt"));
    expect((await files().exists("work/final.txt")).data).toBe(true);
    expect((await files().exists("work/draft.txt")).data).toBe(false);
    const listed = await dataOf(files().list("work"));
    expect(listed.map(({ name }) => name)).toEqual(["final.txt", "kopie ü.txt"]);
    const removed = await dataOf(files().remove(["work/final.txt", "work/kopie ü.txt", "work/none.txt"]));
    expect(removed.map(({ name }) => name).toSorted()).toEqual(["work/final.txt", "work/kopie ü.txt"]);
    expect(await dataOf(files().list("work"))).toEqual([]);
  });

  it("are listed by folder, in pages and by list-v2", async () => {
    for (const name of ["a/1.txt", "a/2.txt", "b/3.txt", "c.txt", "d.txt"])
      await dataOf(files().upload(`tree/${name}`, name));
    const all = await dataOf(files().list("tree"));
    expect(all.map(({ name, id }) => [name, id === null])).toEqual([
      ["a", true],
      ["b", true],
      ["c.txt", false],
      ["d.txt", false],
    ]);
    const page = await dataOf(files().list("tree", { limit: 2, offset: 1, sortBy: { column: "name", order: "asc" } }));
    expect(page.map(({ name }) => name)).toEqual(["b", "c.txt"]);
    expect((await dataOf(files().list("tree", { search: "d." }))).map(({ name }) => name)).toEqual(["d.txt"]);
    const second = await dataOf(files().listV2({ prefix: "tree/", with_delimiter: true, limit: 3 }));
    expect(second.folders.map(({ name }) => name)).toEqual(["tree/a/", "tree/b/"]);
    expect(second.hasNext).toBe(true);
    const rest = await dataOf(
      files().listV2({ prefix: "tree/", with_delimiter: true, limit: 3, cursor: second.nextCursor ?? "" }),
    );
    expect([...second.objects, ...rest.objects].map(({ name }) => name)).toEqual(["tree/c.txt", "tree/d.txt"]);
  });

  it("are signed one by one or as a list, and open without a token", async () => {
    await dataOf(files().upload("signed/été 1.txt", "one"));
    await dataOf(files().upload("signed/2.txt", "two"));
    const { signedUrl } = await dataOf(files().createSignedUrl("signed/été 1.txt", 60, { download: "name.txt" }));
    const response = await fetch(signedUrl);
    expect([response.status, await response.text()]).toEqual([200, "one"]);
    expect(response.headers.get("content-disposition")).toContain("attachment");
    const both = await dataOf(files().createSignedUrls(["signed/été 1.txt", "signed/2.txt", "signed/none"], 60));
    expect(await Promise.all(both.map(async ({ signedUrl: url }) => (url ? (await fetch(url)).text() : null)))).toEqual(
      ["one", "two", null],
    );
    expect(both[2]?.error).toEqual(expect.any(String));
  });

  it("are not public: their public URL returns public_download_disabled", async () => {
    const { data } = files().getPublicUrl("signed/2.txt");
    const response = await fetch(data.publicUrl);
    expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
      403,
      "public_download_disabled",
    ]);
  });
});

describe("buckets", () => {
  it("are created, changed, listed, emptied and deleted", async () => {
    await dataOf(
      client.createBucket("papers", { public: false, fileSizeLimit: "1MB", allowedMimeTypes: ["text/plain"] }),
    );
    expect(await dataOf(client.getBucket("papers"))).toMatchObject({
      id: "papers",
      public: false,
      file_size_limit: 1_048_576,
    });
    expect(await readError(client.from("papers").upload("a.png", "x", { contentType: "image/png" }))).toEqual([
      415,
      "415",
    ]);
    await dataOf(client.from("papers").upload("a.txt", "x", { contentType: "text/plain" }));
    expect(await readError(client.deleteBucket("papers"))).toEqual([409, "409"]);
    await dataOf(client.updateBucket("papers", { public: false, fileSizeLimit: null }));
    await dataOf(client.emptyBucket("papers"));
    await dataOf(client.deleteBucket("papers"));
    expect((await dataOf(client.listBuckets())).map(({ name }) => name)).toEqual(["company"]);
    expect(await readError(client.createBucket("open", { public: true }))).toEqual([400, "400"]);
  });
});

describe("a browser on another origin", () => {
  it("can upload and read the exposed headers", async () => {
    const url = `${platform.url}/storage/v1/object/company/from-browser.html`;
    const origin = "https://app.example.com";
    const requestedHeaders =
      "authorization, apikey, x-client-info, x-upsert, cache-control, content-encoding, content-type";
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": requestedHeaders },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
    for (const name of requestedHeaders.split(", ")) expect(allowed).toContain(name);
    const stored = await fetch(url, {
      method: "POST",
      headers: { origin, authorization: `Bearer ${bearer}`, "content-type": "text/html" },
      body: "<p>hello",
    });
    expect([stored.status, stored.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const response = await fetch(url, { headers: { origin, authorization: `Bearer ${bearer}` } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  });
});

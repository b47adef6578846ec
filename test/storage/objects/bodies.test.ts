import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, storage_objects } from "../../../db/storage/schema";
import { PART_BYTES } from "../../../workers/kit/files/body";
import { readError } from "../../support/sibling/sibling";
import { readCounters, settledCounters } from "../../support/storage/figures";
import { startFiles } from "../../support/storage/files";
import { watchedObjects } from "../../support/storage/objects-double";
import { readRows, updateRows } from "../../support/webhooks/rows";

type Files = Awaited<ReturnType<typeof startFiles>>;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Returns a body of the chunks; with `fault`, it fails after the last chunk. */
function streamOf(chunks: Uint8Array[], fault?: Error): ReadableStream<Uint8Array> {
  const remaining = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = remaining.shift();
      if (next !== undefined) controller.enqueue(next.slice());
      else if (fault === undefined) controller.close();
      else controller.error(fault);
    },
  });
}

const send = ({ storage, member }: Files, path: string, body: BodyInit | null, headers: Record<string, string> = {}) =>
  storage.call(`/storage/v1/object/company/${path}`, {
    method: "POST",
    bearer: member,
    headers,
    body,
    ...({ duplex: "half" } as object),
  });

/** Returns `count` bytes whose values depend on their position. */
function pattern(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) bytes[index] = (index * 31 + (index >> 8) * 7 + (index >> 16)) & 0xff;
  return bytes;
}

const isEqual = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, index) => byte === b[index]);

const setCap = ({ companyId }: Files, max_bytes: number) =>
  updateRows(company_quotas, { max_bytes }, eq(company_quotas.company_id, companyId));

describe("upload without Content-Length", () => {
  it("stores a small body with its MD5 as ETag", async () => {
    const files = await startFiles();
    const stored = await send(files, "a.txt", streamOf([bytesOf("he"), bytesOf("llo")]));
    expect([stored.status, stored.headers.get("etag")]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
    expect(await (await files.get("a.txt")).text()).toBe("hello");
    expect((await send(files, "empty.txt", streamOf([]))).status).toBe(200);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(5, 2));
  });

  it("stores a body of several pieces in parts and returns the same bytes", async () => {
    const { objects, createdUploads } = watchedObjects();
    const files = await startFiles({ OBJECTS: objects });
    const bytes = pattern(2 * PART_BYTES + 12_345);
    const cuts = [0, 1_000_001, PART_BYTES - 1, PART_BYTES, PART_BYTES + 7, 2 * PART_BYTES, bytes.length];
    const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index] ?? 0, end));
    const stored = await send(files, "big.bin", streamOf(chunks));
    expect(stored.status).toBe(200);
    expect(stored.headers.get("etag")).toMatch(/^"[^"]+-3"$/);
    expect(createdUploads).toHaveLength(1);
    expect(isEqual(new Uint8Array(await (await files.get("big.bin")).arrayBuffer()), bytes)).toBe(true);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(bytes.length, 1));
  });

  it("stores exactly one or two pieces without an empty part", async () => {
    const files = await startFiles();
    for (const [name, count, tag] of [
      ["one.bin", 1, /^"[0-9a-f]{32}"$/],
      ["two.bin", 2, /-2"$/],
    ] as const) {
      const stored = await send(files, name, streamOf([pattern(count * PART_BYTES)]));
      expect([stored.status, stored.headers.get("etag")]).toEqual([200, expect.stringMatching(tag)]);
      expect((await files.get(name, { method: "HEAD" })).headers.get("content-length")).toBe(
        String(count * PART_BYTES),
      );
    }
  });

  it("rejects a body that exceeds the quota in its second piece, aborts its parts and releases its reservation", async () => {
    const { objects, createdUploads } = watchedObjects();
    const files = await startFiles({ OBJECTS: objects });
    await files.put("first.txt", "1");
    await setCap(files, PART_BYTES + 100);
    const response = await send(files, "big.bin", streamOf([pattern(PART_BYTES), pattern(PART_BYTES)]));
    expect(await readError(response)).toEqual([413, "company_quota_exceeded"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(1, 1));
    expect(createdUploads).toHaveLength(1);
    await expect(createdUploads[0]?.uploadPart(3, pattern(10))).rejects.toThrow();
    expect((await files.get("big.bin")).status).toBe(404);
  });

  it("rejects a body as soon as it exceeds the limit of an object or of one request", async () => {
    const { objects, createdUploads } = watchedObjects();
    const files = await startFiles({ OBJECTS: objects, MAX_UPLOAD_BYTES: "9M", MAX_SINGLE_UPLOAD_BYTES: "20M" });
    const chunks = [pattern(PART_BYTES), pattern(PART_BYTES)];
    const large = await send(files, "a.bin", streamOf(chunks));
    expect([large.status, await large.json()]).toEqual([413, expect.not.objectContaining({ use_multipart: true })]);
    const single = await startFiles({ OBJECTS: objects, MAX_SINGLE_UPLOAD_BYTES: "9M" });
    const response = await send(single, "a.bin", streamOf(chunks));
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ error_code: "payload_too_large", use_multipart: true }),
    ]);
    for (const upload of createdUploads) await expect(upload.uploadPart(3, pattern(10))).rejects.toThrow();
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
    expect(await readCounters(single.companyId)).toEqual(settledCounters(0, 0));
  });

  it("rejects a body whose connection is lost in its first or a later piece, and stores nothing", async () => {
    const { objects, createdUploads } = watchedObjects();
    const files = await startFiles({ OBJECTS: objects });
    const cut = new Error("connection lost");
    expect(await readError(await send(files, "a.bin", streamOf([pattern(100)], cut)))).toEqual([
      400,
      "incomplete_body",
    ]);
    const cutLater = streamOf([pattern(PART_BYTES), pattern(5)], cut);
    expect(await readError(await send(files, "a.bin", cutLater))).toEqual([400, "incomplete_body"]);
    for (const upload of createdUploads) await expect(upload.uploadPart(3, pattern(10))).rejects.toThrow();
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
  });
});

describe("upload with Content-Length", () => {
  it.each([
    ["shorter", ["hel"], undefined],
    ["longer", ["hello", " world"], undefined],
    ["cut", ["he"], new Error("connection lost")],
  ] as const)("rejects a body that is %s as incomplete, and stores nothing", async (_description, texts, fault) => {
    const files = await startFiles();
    const body = streamOf(
      texts.map((text) => bytesOf(text)),
      fault,
    );
    const response = await send(files, "a.txt", body, { "content-length": "5" });
    expect(await readError(response)).toEqual([400, "incomplete_body"]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
    expect((await files.get("a.txt")).status).toBe(404);
  });

  it("rejects a length above the limit of an object or a request before reading the body", async () => {
    const files = await startFiles({ MAX_UPLOAD_BYTES: "1000", MAX_SINGLE_UPLOAD_BYTES: "500" });
    let isRead = false;
    const pull = () => {
      isRead = true;
    };
    const body = () => new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const large = await send(files, "a.bin", body(), { "content-length": "1001" });
    const request_id = expect.any(String);
    const expectedProblem = { ...tooLarge, message: "An object of this bucket has at most 1000 bytes.", request_id };
    expect([large.status, await large.json()]).toEqual([413, expectedProblem]);
    const single = await send(files, "a.bin", body(), { "content-length": "501" });
    const message = "One request carries at most 500 bytes: upload in parts.";
    expect(await single.json()).toEqual({ ...tooLarge, message, use_multipart: true, request_id });
    expect(isRead).toBe(false);
    expect((await files.put("a.bin", new Uint8Array(500))).status).toBe(200);
  });

  it.each(["-1", "1.5", "abc", "99999999999999999999"])("rejects the Content-Length %s", async (length) => {
    const files = await startFiles();
    const response = await send(files, "a.txt", streamOf([bytesOf("hello")]), { "content-length": length });
    expect(await readError(response)).toEqual([400, "validation_failed"]);
  });

  it("stores an empty object for the Content-Length 0", async () => {
    const files = await startFiles();
    const stored = await files.put("empty.txt", "");
    expect([stored.status, stored.headers.get("etag")]).toEqual([200, '"d41d8cd98f00b204e9800998ecf8427e"']);
    const response = await files.get("empty.txt");
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "0", ""]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 1));
  });
});

const tooLarge = {
  error_code: "payload_too_large",
  message: expect.any(String),
  statusCode: "413",
  error: "payload_too_large",
};

const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
const formType = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
const field = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string, { name = "file", filename = 'filename="x.bin"', type = "" } = {}) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; ${filename}\r\n` +
  `${type === "" ? "" : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

describe("form uploads", () => {
  it("stores the file of a browser form with the values of its fields", async () => {
    const files = await startFiles();
    const form = new FormData();
    form.append("cacheControl", "3600");
    form.append("metadata", JSON.stringify({ origin: "camera", é: "ü" }));
    form.append("", new Blob(["hello"], { type: "text/plain;charset=utf-8" }));
    const stored = await send(files, "a.bin", form);
    expect([stored.status, stored.headers.get("etag")]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
    const response = await files.get("a.bin");
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "text/plain;charset=utf-8",
      "hello",
    ]);
    const row = await findRow(files, "a.bin");
    expect(row).toMatchObject({ cache_control: "max-age=3600", metadata: { origin: "camera", é: "ü" } });
    const formWithFileName = new FormData();
    formWithFileName.append("x", "y");
    formWithFileName.append(
      "picture",
      new File([pattern(3000) as BlobPart], "dé.png", { type: "application/octet-stream" }),
    );
    expect((await send(files, "pictures/b.png", formWithFileName)).status).toBe(200);
    expect((await files.get("pictures/b.png")).headers.get("content-type")).toBe("image/png");
  });

  it("returns the requested size when the quota is full, and reads the form to its end", async () => {
    const files = await startFiles();
    await files.put("first.txt", "1");
    await setCap(files, 1000);
    const size = PART_BYTES + 3_000_000;
    const body = bytesOf(`${file("x".repeat(size))}${END}`);
    let read = 0;
    const chunks = streamOf([body.subarray(0, PART_BYTES), body.subarray(PART_BYTES)]).pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.length;
          controller.enqueue(chunk);
        },
      }),
    );
    const response = await send(files, "big.bin", chunks, { ...formType, "content-length": String(body.length) });
    const { quota } = await response.json<{ quota: { requested_bytes: number } }>();
    expect([response.status, quota.requested_bytes, read]).toEqual([413, body.length, body.length]);
  });

  it("stores a form file of several pieces in parts", async () => {
    const files = await startFiles();
    const bytes = pattern(PART_BYTES + 3_000_000);
    const form = new FormData();
    form.append("file", new Blob([bytes as BlobPart]));
    const stored = await send(files, "big.bin", form);
    expect([stored.status, stored.headers.get("etag")]).toEqual([200, expect.stringMatching(/-2"$/)]);
    expect(isEqual(new Uint8Array(await (await files.get("big.bin")).arrayBuffer()), bytes)).toBe(true);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(bytes.length, 1));
  });

  it.each([
    ["whose file has no type and gets that of its path", file("x"), "a.png", "image/png"],
    ["whose file field has no file name", file("x", { filename: "x=y", type: "text/css" }), "a", "text/css"],
    ["with text before the first boundary", `preamble\r\n${file("x")}`, "a.txt", "text/plain"],
  ])("accepts a browser form %s", async (_description, parts, path, type) => {
    const files = await startFiles();
    expect((await send(files, path, `${parts}${END}`, formType)).status).toBe(200);
    const response = await files.get(path);
    expect([response.headers.get("content-type"), await response.text()]).toEqual([type, "x"]);
  });

  it("accepts a form whose chunks end at any position", async () => {
    const files = await startFiles();
    const form = bytesOf(`${field("cacheControl", "60")}${file("--\r\n--x\r\n-")}${END}`);
    for (let index = form.length - 60; index < form.length; index += 1) {
      const body = streamOf([form.subarray(0, index), form.subarray(index)]);
      const stored = await send(files, "a.txt", body, { ...formType, "x-upsert": "true" });
      expect([index, stored.status]).toEqual([index, 200]);
    }
    const single = streamOf([...form].map((byte) => Uint8Array.of(byte)));
    expect((await send(files, "b.txt", single, formType)).status).toBe(200);
    for (const name of ["a.txt", "b.txt"]) expect(await (await files.get(name)).text()).toBe("--\r\n--x\r\n-");
  });

  it.each([
    ["without a file", field("cacheControl", "60") + END, "validation_failed"],
    ["with a field after its file", file("x") + field("cacheControl", "60") + END, "validation_failed"],
    ["with two files", file("x") + file("y") + END, "validation_failed"],
    ["with a boundary that the header does not name", file("x").replaceAll(BOUNDARY, "other"), "incomplete_body"],
    ["that ends in its file", file("x").slice(0, -2), "incomplete_body"],
    ["that ends after its file", file("x"), "incomplete_body"],
    ["that ends in the head of its file", file("x").slice(0, 70), "incomplete_body"],
    ["that is empty", "", "incomplete_body"],
    ["with a field that is too long", field("metadata", "x".repeat(70_000)) + file("x") + END, "validation_failed"],
    ["with too many fields", field("a", "b").repeat(25) + file("x") + END, "validation_failed"],
    ["with metadata that is not an object", field("metadata", "[1]") + file("x") + END, "validation_failed"],
    ["with a name that cannot be decoded", file("x", { filename: "filename*=utf-8''%E0%" }) + END, "validation_failed"],
    [
      "with a part without a name",
      `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${END}`,
      "validation_failed",
    ],
  ])("rejects a browser form %s and stores nothing", async (_description, body, code) => {
    const files = await startFiles();
    expect(await readError(await send(files, "a.txt", body, formType))).toEqual([400, code]);
    expect(await readCounters(files.companyId)).toEqual(settledCounters(0, 0));
  });

  it("explains a missing closing boundary of a form in the error message", async () => {
    const files = await startFiles();
    const body = file("x").replaceAll(BOUNDARY, "other");
    const response = await send(files, "a.txt", body, { ...formType, "content-length": String(body.length) });
    expect(await response.json()).toMatchObject({
      error_code: "incomplete_body",
      message: expect.stringContaining("the form has no closing boundary"),
    });
  });

  it("rejects multipart/form-data without a boundary, and stores urlencoded bodies unchanged", async () => {
    const files = await startFiles();
    const response = await send(files, "a.txt", "x", { "content-type": "multipart/form-data" });
    expect(await readError(response)).toEqual([400, "validation_failed"]);
    const type = "application/x-www-form-urlencoded";
    expect((await send(files, "b.txt", "a=1", { "content-type": type })).status).toBe(200);
    const download = await files.get("b.txt");
    expect([download.headers.get("content-type"), await download.text()]).toEqual([type, "a=1"]);
  });
});

async function findRow({ companyId }: Files, name: string) {
  return (await readRows(storage_objects, eq(storage_objects.company_id, companyId))).find((row) => row.name === name);
}

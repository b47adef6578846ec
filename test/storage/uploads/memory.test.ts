import { expect, it } from "vitest";
import { startFiles } from "../../support/storage/files";
import { tusClient } from "../../support/storage/resumable";
import { multipartClient, PART } from "../../support/storage/uploads";

const CHUNK = 65_536;

/**
 * Returns a byte stream that creates its chunks on demand, and a meter of the maximum number of bytes that were created
 * but not yet stored.
 */
function meteredBody(size: number) {
  const meter = { created: 0, stored: 0, most: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      type: "bytes",
      pull(controller) {
        if (meter.created >= size) {
          controller.close();
          (controller as ReadableByteStreamController).byobRequest?.respond(0);
          return;
        }
        const chunk = new Uint8Array(Math.min(CHUNK, size - meter.created));
        meter.created += chunk.length;
        meter.most = Math.max(meter.most, meter.created - meter.stored);
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, meter };
}

/** Returns the bucket with a count of stored bytes, in which bytes of a stream count as soon as they are read. */
function meteredBucket(bucket: R2Bucket, meter: { stored: number }): R2Bucket {
  const meterUpload = (upload: R2MultipartUpload) => ({
    uploadId: upload.uploadId,
    abort: () => upload.abort(),
    complete: (parts: R2UploadedPart[]) => upload.complete(parts),
    async uploadPart(part: number, value: Uint8Array | ReadableStream<Uint8Array>) {
      if (value instanceof Uint8Array) {
        const stored = await upload.uploadPart(part, value);
        meter.stored += value.length;
        return stored;
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of value) {
        meter.stored += chunk.length;
        chunks.push(chunk);
      }
      return upload.uploadPart(part, await new Blob(chunks as BlobPart[]).arrayBuffer());
    },
  });
  return {
    put: (key: string, value: Uint8Array) => bucket.put(key, value),
    get: (key: string) => bucket.get(key),
    head: (key: string) => bucket.head(key),
    delete: (key: string) => bucket.delete(key),
    createMultipartUpload: async (key: string) => meterUpload(await bucket.createMultipartUpload(key)),
    resumeMultipartUpload: (key: string, id: string) => meterUpload(bucket.resumeMultipartUpload(key, id)),
  } as unknown as R2Bucket;
}

it("holds only one piece of a resumable upload in memory, for any length", async () => {
  const files = await startFiles();
  const { createUpload, patch } = tusClient(files);
  const size = 5 * PART + 1000;
  const { body, meter } = meteredBody(size);
  const id = await createUpload("a.bin", size);
  const bindings = { OBJECTS: meteredBucket(files.storage.bindings.OBJECTS, meter) };
  expect((await patch(id, 0, body, { bindings })).status).toBe(204);
  expect(meter.created).toBe(size);
  expect(meter.most).toBeLessThanOrEqual(PART + 2 * CHUNK);
});

it("streams an upload part to R2 as it arrives", async () => {
  const files = await startFiles();
  const { openUpload } = multipartClient(files);
  const { body, meter } = meteredBody(PART);
  const id = await openUpload("a.bin", { size: PART + 1 });
  const sent = await files.storage.call(`/storage/v1/upload/${id}/1`, {
    method: "PUT",
    bearer: files.member,
    headers: { "content-length": String(PART) },
    bindings: { OBJECTS: meteredBucket(files.storage.bindings.OBJECTS, meter) },
    body,
  });
  expect(sent.status).toBe(200);
  expect(meter.most).toBeLessThanOrEqual(8 * CHUNK);
});

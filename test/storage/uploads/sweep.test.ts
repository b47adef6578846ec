import { eq, inArray } from "drizzle-orm";
import { expect, it } from "vitest";
import { quota_reservations, storage_blobs, storage_uploads } from "../../../db/storage/schema";
import { createLog } from "../../../workers/kit/log";
import { services } from "../../../workers/storage/services";
import { countSweepable } from "../../../workers/storage/sweep/sweep";
import { sweepUploads } from "../../../workers/storage/uploads/sweep";
import { readError } from "../../support/sibling/sibling";
import { expectAgreement, sweepAll } from "../../support/storage/agreement";
import { startFiles } from "../../support/storage/files";
import { killable } from "../../support/storage/kill";
import { tusClient } from "../../support/storage/resumable";
import { bytesOf, multipartClient, readLedger, settledLedger } from "../../support/storage/uploads";
import { readRows, updateRows } from "../../support/webhooks/rows";

async function start() {
  const files = await startFiles();
  const servicesWith = (bindings: object = {}) =>
    services({ ...files.storage.bindings, ...bindings } as never, {
      requestId: "sweep",
      log: createLog({ service: "storage" }),
      waitUntil: () => {},
    });
  /** Makes uploads expire before the uploads of other tests, so that a limited sweep finds them first. */
  const expire = async (ids: readonly string[]) => {
    await updateRows(storage_uploads, { expires_at: 1 }, inArray(storage_uploads.id, [...ids]));
    await updateRows(quota_reservations, { expires_at: 1 }, inArray(quota_reservations.id, [...ids]));
  };
  return { ...files, parts: multipartClient(files), tus: tusClient(files), servicesWith, expire };
}

/** Creates a multipart and a resumable upload with some bytes, and a completed upload; returns their ids. */
async function createUploads({ parts, tus }: Awaited<ReturnType<typeof start>>) {
  const multipart = await parts.openUpload("a.bin", { size: 100 });
  await parts.send(multipart, 1, bytesOf(100));
  const resumable = await tus.createUpload("b.bin", 100);
  await tus.patch(resumable, 0, bytesOf(50));
  const done = await parts.openUpload("c.bin", { size: 10 });
  await parts.send(done, 1, bytesOf(10));
  await parts.complete(done);
  return [multipart, resumable, done];
}

it("ends expired uploads, releases their bytes and tails, and keeps their objects", async () => {
  const started = await start();
  const { servicesWith, expire, companyId, parts, get } = started;
  const ids = await createUploads(started);
  const open = await parts.openUpload("d.bin", { size: 7 });
  expect(await sweepUploads(servicesWith(), 1, 10)).toBe(0);
  const { uploads: others } = await countSweepable(servicesWith());
  await expire(ids);
  expect(await countSweepable(servicesWith())).toMatchObject({ uploads: others + 3 });
  expect(await sweepUploads(servicesWith(), 1, 10)).toBe(3);
  expect(await sweepUploads(servicesWith(), 1, 10)).toBe(0);
  expect(await readLedger(companyId)).toMatchObject({
    used: 10,
    reserved: 7,
    userReserved: 7,
    reservations: 1,
    open: 1,
  });
  const remaining = await readRows(storage_uploads, eq(storage_uploads.company_id, companyId));
  expect(remaining.map(({ id }) => id)).toEqual([open]);
  expect((await get("c.bin")).status).toBe(200);
  const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
  // The blobs of both uploads and of the tail have no references; the object keeps its blob.
  expect(blobs.map(({ refs }) => refs).toSorted()).toEqual([0, 0, 0, 1]);
});

it("ends at most the given number of uploads in one sweep", async () => {
  const started = await start();
  await started.expire(await createUploads(started));
  const { servicesWith } = started;
  expect([
    await sweepUploads(servicesWith(), 1, 2),
    await sweepUploads(servicesWith(), 1, 2),
    await sweepUploads(servicesWith(), 1, 2),
  ]).toEqual([2, 1, 0]);
});

it("finishes a killed sweep in the next run", async () => {
  for (const at of [1, 2, 3, 4]) {
    const started = await start();
    const { servicesWith, expire, companyId, storage } = started;
    await expire(await createUploads(started));
    const { bindings } = killable(storage.bindings, at);
    await sweepUploads(servicesWith(bindings), 1, 10).catch(() => null);
    await sweepUploads(servicesWith(), 1, 10);
    expect([at, await readLedger(companyId)]).toEqual([at, settledLedger(1, 10)]);
  }
});

it.each([
  ["before R2 joins its parts", "before"],
  ["after R2 joined its parts", "after"],
])("leaves no object and no bytes when it ends an upload during its completion, %s", async (_, when) => {
  const started = await start();
  const { servicesWith, expire, companyId, parts, get, storage } = started;
  const id = await parts.openUpload("a.bin", { size: 100 });
  await parts.send(id, 1, bytesOf(100));
  const sweepNow = async () => {
    await expire([id]);
    expect(await sweepUploads(servicesWith(), 1, 10)).toBe(1);
  };
  const { OBJECTS } = storage.bindings;
  const resumeMultipartUpload = (key: string, uploadId: string) => {
    const upload = OBJECTS.resumeMultipartUpload(key, uploadId);
    const complete = async (list: R2UploadedPart[]) => {
      if (when === "before") await sweepNow();
      const completed = await upload.complete(list);
      if (when === "after") await sweepNow();
      return completed;
    };
    return { abort: () => upload.abort(), complete };
  };
  const head = (key: string) => OBJECTS.head(key);
  const bindings = { OBJECTS: { resumeMultipartUpload, head } as unknown as R2Bucket };
  expect(await readError(await parts.complete(id, { bindings }))).toEqual([404, "upload_not_found"]);
  expect((await get("a.bin")).status).toBe(404);
  expect(await readLedger(companyId)).toEqual(settledLedger(0, 0));
  await sweepAll(started);
  await expectAgreement(started);
});

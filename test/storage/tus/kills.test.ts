import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { storage_uploads } from "../../../db/storage/schema";
import { startFiles } from "../../support/storage/files";
import { killAtEachCall, killable } from "../../support/storage/kill";
import { cutBody, tusClient } from "../../support/storage/resumable";
import { bytesOf, digestOf, PART, readLedger, settledLedger } from "../../support/storage/uploads";
import { updateRows } from "../../support/webhooks/rows";

async function start() {
  const files = await startFiles();
  await files.put("first.txt", "1");
  return { ...files, ...tusClient(files) };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Expires the lease of a killed request. */
const endLease = (id: string) => updateRows(storage_uploads, { locked_until: 1 }, eq(storage_uploads.id, id));

/** Sends the remaining bytes from the offset that HEAD returns, as a client does after a lost response. */
async function sendRest({ offset, patch }: Started, id: string, bytes: Uint8Array): Promise<void> {
  const position = await offset(id);
  if (position === bytes.length) return;
  const response = await patch(id, position, bytes.subarray(position));
  if (response.status !== 204) throw new Error(`${position}: ${response.status} ${await response.text()}`);
}

// Each kill repeats the whole upload, which has several megabytes when it fills a part.
const TIME_MS = 60_000;

describe("a PATCH that is killed at any call and sent again from the returned offset", () => {
  it.each([
    ["the first bytes", 2000, 0, 1000],
    ["a tail that replaces a tail", 2000, 700, 1000],
    ["bytes that fill a part, and a tail", PART + 2000, 700, PART + 1000],
    ["the last bytes after a tail", 2000, 700, 2000],
    ["the last bytes after a part and a tail", PART + 2000, PART + 700, PART + 2000],
  ])("completes the upload with %s", { timeout: TIME_MS }, async (_description, size, from, to) => {
    const bytes = bytesOf(size, 3);
    const calls = await killAtEachCall(async (kill) => {
      const started = await start();
      const { createUpload, patch, get, storage, companyId, offset } = started;
      const id = await createUpload("a.bin", size);
      if (from > 0) await patch(id, 0, bytes.subarray(0, from));
      const { bindings, calls } = killable(storage.bindings, kill);
      await patch(id, from, bytes.subarray(from, to), { bindings });
      const callCount = calls();
      await endLease(id);
      expect([kill, await offset(id)]).toEqual([kill, expect.toBeOneOf([from, PART, to])]);
      await sendRest(started, id, bytes);
      const response = await get("a.bin");
      expect([kill, await digestOf(await response.arrayBuffer())]).toEqual([kill, await digestOf(bytes)]);
      expect(response.headers.get("x-object-version")).toBe("1");
      expect([kill, await readLedger(companyId)]).toEqual([kill, settledLedger(2, size + 1)]);
      return callCount;
    });
    expect(calls).toBeLessThanOrEqual(10);
  });

  it("completes the upload when the connection is cut in addition to the kill", { timeout: TIME_MS }, async () => {
    const bytes = bytesOf(3000, 3);
    await killAtEachCall(async (kill) => {
      const started = await start();
      const { createUpload, patch, get, storage, companyId } = started;
      const id = await createUpload("a.bin", bytes.length);
      await patch(id, 0, bytes.subarray(0, 500));
      const { bindings, calls } = killable(storage.bindings, kill);
      await patch(id, 500, cutBody(bytes.subarray(500, 2000), 1000), { bindings });
      const callCount = calls();
      await endLease(id);
      await sendRest(started, id, bytes);
      expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
      expect([kill, await readLedger(companyId)]).toEqual([kill, settledLedger(2, bytes.length + 1)]);
      return callCount;
    });
  });
});

it("rejects a PATCH whose lease has expired, and keeps the bytes of the PATCH that took the lease", async () => {
  const started = await start();
  const { createUpload, patch, offset, get, companyId } = started;
  const bytes = bytesOf(PART + 2000, 3);
  const id = await createUpload("a.bin", bytes.length);
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const lateBytes = bytesOf(PART + 10, 7);
  let position = 0;
  const slow = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (position === 1000) await resumed;
        if (position === lateBytes.length) return controller.close();
        const end = position === 0 ? 1000 : lateBytes.length;
        controller.enqueue(lateBytes.slice(position, end));
        position = end;
      },
    },
    { highWaterMark: 0 },
  );
  const first = patch(id, 0, slow);
  await vi.waitFor(() => expect(position).toBe(1000), { timeout: 10_000 });
  await endLease(id);
  expect((await patch(id, 0, bytes.subarray(0, PART + 1000))).headers.get("upload-offset")).toBe(String(PART + 1000));
  resume();
  expect((await first).status).toBe(423);
  // R2 stores the part of the late PATCH. The completion detects it, so the client has to send all parts again.
  for (let tries = 0; (await offset(id)) < bytes.length && tries < 3; tries++) {
    const from = await offset(id);
    expect([204, 409]).toContain((await patch(id, from, bytes.subarray(from))).status);
  }
  expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
  expect(await readLedger(companyId)).toEqual(settledLedger(2, bytes.length + 1));
});

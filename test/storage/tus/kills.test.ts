import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { storage_uploads } from "../../../db/storage/schema";
import { startFiles } from "../../support/storage/files";
import { killAtEachCall, killable } from "../../support/storage/kill";
import { cutBody, resumableOf } from "../../support/storage/resumable";
import { bytesOf, digestOf, ledgerOf, PART, settled } from "../../support/storage/uploads";
import { updateRows } from "../../support/webhooks/rows";

async function start() {
  const files = await startFiles();
  await files.put("first.txt", "1");
  return { ...files, ...resumableOf(files) };
}

type Started = Awaited<ReturnType<typeof start>>;

/** The lease of a request that was killed ends by itself; this is then. */
const endLease = (id: string) => updateRows(storage_uploads, { locked_until: 1 }, eq(storage_uploads.id, id));

/** Sends the rest from the offset that the upload tells, as a client does that knows nothing else. */
async function sendRest({ offset, patch }: Started, id: string, bytes: Uint8Array): Promise<void> {
  const at = await offset(id);
  if (at === bytes.length) return;
  const answer = await patch(id, at, bytes.subarray(at));
  if (answer.status !== 204) throw new Error(`${at}: ${answer.status} ${await answer.text()}`);
}

// Each kill is a round of its own over several megabytes where a part is filled.
const TIME_MS = 60_000;

describe("a PATCH that is killed at any call and sent again from the returned offset", () => {
  it.each([
    ["the first bytes", 2000, 0, 1000],
    ["a tail over a tail", 2000, 700, 1000],
    ["bytes that fill a part, and a tail", PART + 2000, 700, PART + 1000],
    ["the last bytes, behind a tail", 2000, 700, 2000],
    ["the last bytes, behind a part and a tail", PART + 2000, PART + 700, PART + 2000],
  ])("completes the upload with %s", { timeout: TIME_MS }, async (_what, size, from, to) => {
    const bytes = bytesOf(size, 3);
    const calls = await killAtEachCall(async (kill) => {
      const started = await start();
      const { created, patch, get, storage, companyId, offset } = started;
      const id = await created("a.bin", size);
      if (from > 0) await patch(id, 0, bytes.subarray(0, from));
      const { bindings, calls } = killable(storage.bindings, kill);
      await patch(id, from, bytes.subarray(from, to), { bindings });
      const made = calls();
      await endLease(id);
      expect([kill, await offset(id)]).toEqual([kill, expect.toBeOneOf([from, PART, to])]);
      await sendRest(started, id, bytes);
      const got = await get("a.bin");
      expect([kill, await digestOf(await got.arrayBuffer())]).toEqual([kill, await digestOf(bytes)]);
      expect(got.headers.get("x-object-version")).toBe("1");
      expect([kill, await ledgerOf(companyId)]).toEqual([kill, settled(2, size + 1)]);
      return made;
    });
    expect(calls).toBeLessThanOrEqual(10);
  });

  it("completes the upload when its connection is also cut", { timeout: TIME_MS }, async () => {
    const bytes = bytesOf(3000, 3);
    await killAtEachCall(async (kill) => {
      const started = await start();
      const { created, patch, get, storage, companyId } = started;
      const id = await created("a.bin", bytes.length);
      await patch(id, 0, bytes.subarray(0, 500));
      const { bindings, calls } = killable(storage.bindings, kill);
      await patch(id, 500, cutBody(bytes.subarray(500, 2000), 1000), { bindings });
      const made = calls();
      await endLease(id);
      await sendRest(started, id, bytes);
      expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
      expect([kill, await ledgerOf(companyId)]).toEqual([kill, settled(2, bytes.length + 1)]);
      return made;
    });
  });
});

it("a PATCH whose lease has expired corrupts no bytes of the PATCH that took the lease", async () => {
  const started = await start();
  const { created, patch, offset, get, companyId } = started;
  const bytes = bytesOf(PART + 2000, 3);
  const id = await created("a.bin", bytes.length);
  let goOn = () => {};
  const stalled = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const late = bytesOf(PART + 10, 7);
  let at = 0;
  const slow = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at === 1000) await stalled;
        if (at === late.length) return controller.close();
        const end = at === 0 ? 1000 : late.length;
        controller.enqueue(late.slice(at, end));
        at = end;
      },
    },
    { highWaterMark: 0 },
  );
  const first = patch(id, 0, slow);
  await vi.waitFor(() => expect(at).toBe(1000), { timeout: 10_000 });
  await endLease(id);
  expect((await patch(id, 0, bytes.subarray(0, PART + 1000))).headers.get("upload-offset")).toBe(String(PART + 1000));
  goOn();
  expect((await first).status).toBe(423);
  // R2 has the part of the late one: it is found out when the parts are joined, and all are sent again.
  for (let tries = 0; (await offset(id)) < bytes.length && tries < 3; tries++) {
    const from = await offset(id);
    expect([204, 409]).toContain((await patch(id, from, bytes.subarray(from))).status);
  }
  expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
  expect(await ledgerOf(companyId)).toEqual(settled(2, bytes.length + 1));
});

import { describe, expect, it } from "vitest";
import { startFiles } from "../../support/storage/files";
import { killAtEachCall, killable } from "../../support/storage/kill";
import { bytesOf, digestOf, multipartClient, readLedger, settledLedger } from "../../support/storage/uploads";

async function start() {
  const files = await startFiles();
  await files.put("first.txt", "1");
  return { ...files, ...multipartClient(files) };
}

describe("multipart uploads that are killed at any call", () => {
  it("changes no object and no used bytes when the creation of an upload is killed", async () => {
    const calls = await killAtEachCall(async (kill) => {
      const { open, storage, companyId, put } = await start();
      const { bindings, calls } = killable(storage.bindings, kill);
      const opened = await open("a.bin", { size: 100 }, { bindings });
      if (kill === null) return calls();
      // After the last call of its creation the upload is open, although the client may not have received the response.
      if (opened.status !== 201) expect([opened.status, kill]).toEqual([expect.toBeOneOf([502, 503, 500]), kill]);
      expect((await put("a.bin", "ab")).status).toBe(200);
      expect(await readLedger(companyId)).toMatchObject({ used: 3, userUsed: 3, stored: 3, objects: 2 });
      return 0;
    });
    expect(calls).toBe(4);
  });

  it("accepts a part again when storing it was killed", async () => {
    const bytes = bytesOf(100);
    const calls = await killAtEachCall(async (kill) => {
      const { openUpload, send, complete, get, storage, companyId } = await start();
      const { bindings, calls } = killable(storage.bindings, kill);
      const id = await openUpload("a.bin", { size: 100 });
      await send(id, 1, bytesOf(100, 3));
      await send(id, 1, bytes, { bindings });
      if (kill !== null) {
        // The upload can be completed only with the part that R2 stored.
        expect((await send(id, 1, bytes)).status).toBe(200);
      }
      expect((await complete(id)).status).toBe(200);
      expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
      expect(await readLedger(companyId)).toEqual(settledLedger(2, 101));
      return calls();
    });
    expect(calls).toBe(4);
  });

  it.each([
    ["a new object", false, false, 3],
    ["an overwrite of another user's object", true, false, 3],
    ["an overwrite of an object that was deleted", true, true, 4],
  ])(
    "completes an upload once when the completion is repeated: %s",
    async (_description, isOver, isGone, expectedCalls) => {
      const bytes = bytesOf(1000, 5);
      const calls = await killAtEachCall(async (kill) => {
        const { openUpload, send, complete, get, put, owner, storage, companyId } = await start();
        if (isOver) await put("a.bin", bytesOf(300), { bearer: owner });
        const { bindings, calls } = killable(storage.bindings, kill);
        const id = await openUpload("a.bin", { size: 1000 }, { headers: { "x-upsert": "true" } });
        await send(id, 1, bytes);
        if (isGone) await get("a.bin", { method: "DELETE" });
        const first = await complete(id, { bindings });
        if (kill === null) return calls();
        const repeated = await complete(id);
        expect([kill, repeated.status, repeated.headers.get("x-object-version")]).toEqual([
          kill,
          200,
          isOver && !isGone ? "2" : "1",
        ]);
        if (first.status === 200) expect(first.headers.get("etag")).toBe(repeated.headers.get("etag"));
        expect(await digestOf(await (await get("a.bin")).arrayBuffer())).toBe(await digestOf(bytes));
        expect(await readLedger(companyId)).toEqual(settledLedger(2, 1001));
        return 0;
      });
      expect(calls).toBe(expectedCalls);
    },
  );

  it("aborts an upload when a killed abort is repeated", async () => {
    const calls = await killAtEachCall(async (kill) => {
      const { openUpload, send, cancel, storage, companyId } = await start();
      const { bindings, calls } = killable(storage.bindings, kill);
      const id = await openUpload("a.bin", { size: 100 });
      await send(id, 1, bytesOf(100));
      await cancel(id, { bindings });
      if (kill === null) return calls();
      expect([204, 404]).toContain((await cancel(id)).status);
      expect(await readLedger(companyId)).toEqual(settledLedger(1, 1));
      return 0;
    });
    expect(calls).toBe(3);
  });
});

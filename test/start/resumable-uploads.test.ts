import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { company_quotas, quota_reservations, storage_objects } from "../../db/storage/schema";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

const MEBIBYTE = 2 ** 20;
const SIZE = 50 * MEBIBYTE;

let platform: Platform;
let bearer: string;

beforeAll(async () => {
  platform = await sharePlatform();
  bearer = await signInAt(platform, "owner@example.com");
});
afterAll(() => platform?.close());

/** Starts a TCP proxy that closes all connections whenever the total of sent bytes reaches the next of `cutOffsets`. */
async function startCuttingProxy(targetPort: number, cutOffsets: readonly number[]) {
  const remainingOffsets = [...cutOffsets];
  let sentBytes = 0;
  let cutCount = 0;
  const connections = new Set<() => void>();
  const server = createServer((clientSocket) => {
    const serverSocket = connect(targetPort, "127.0.0.1");
    const close = () => {
      clientSocket.destroy();
      serverSocket.destroy();
      connections.delete(close);
    };
    connections.add(close);
    clientSocket.on("data", (bytes: Buffer) => {
      sentBytes += bytes.length;
      if (remainingOffsets[0] !== undefined && sentBytes >= remainingOffsets[0]) {
        remainingOffsets.shift();
        cutCount += 1;
        for (const closeConnection of [...connections]) closeConnection();
        return;
      }
      if (!serverSocket.write(bytes)) {
        clientSocket.pause();
        serverSocket.once("drain", () => clientSocket.resume());
      }
    });
    serverSocket.on("data", (bytes: Buffer) => clientSocket.write(bytes));
    for (const socket of [clientSocket, serverSocket]) socket.on("error", close).on("close", close);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cutCount: () => cutCount,
    sentBytes: () => sentBytes,
    close: () => {
      for (const closeConnection of [...connections]) closeConnection();
      return new Promise((done) => server.close(done));
    },
  };
}

it("stores 50 MiB from an independent client whose connection is cut five times", async () => {
  const bytes = randomBytes(SIZE);
  const cutOffsets = [4, 15, 16, 30, 43].map((mebibytes) => mebibytes * MEBIBYTE + 12_345);
  const proxy = await startCuttingProxy(Number(new URL(platform.url).port), cutOffsets);
  let retries = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes, {
        endpoint: `http://127.0.0.1:${proxy.port}/storage/v1/upload/resumable`,
        headers: { authorization: `Bearer ${bearer}` },
        metadata: { bucketName: "company", objectName: "videos/long.bin", contentType: "video/mp4" },
        chunkSize: 12 * MEBIBYTE,
        retryDelays: [0, 200, 500, 1000, 1000, 1000, 1000],
        removeFingerprintOnSuccess: true,
        onShouldRetry: () => {
          retries += 1;
          return true;
        },
        onError: reject,
        onSuccess: () => resolve(),
      }).start();
    });
  } finally {
    await proxy.close();
  }
  expect(proxy.cutCount()).toBe(5);
  expect(retries).toBeGreaterThanOrEqual(5);
  // The service keeps the received part of a cut request, so the client repeats only a few bytes.
  expect(proxy.sentBytes() - SIZE).toBeLessThan(5 * 8 * MEBIBYTE);
  const download = await fetch(`${platform.url}/storage/v1/object/company/videos/long.bin`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  expect([download.status, download.headers.get("content-type"), download.headers.get("content-length")]).toEqual([
    200,
    "video/mp4",
    String(SIZE),
  ]);
  const digest = createHash("sha256");
  for await (const chunk of Readable.fromWeb(download.body as Parameters<typeof Readable.fromWeb>[0]))
    digest.update(chunk);
  expect(digest.digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  const { rows } = platform;
  const [object] = await rows.storage.readRows(storage_objects, eq(storage_objects.name, "videos/long.bin"));
  const [quota] = await rows.storage.readRows(company_quotas, eq(company_quotas.company_id, object?.company_id ?? 0));
  expect(quota).toMatchObject({ reserved_bytes: 0 });
  const reservations = await rows.storage.readRows(
    quota_reservations,
    eq(quota_reservations.company_id, object?.company_id ?? 0),
  );
  expect(reservations).toEqual([]);
}, 120_000);

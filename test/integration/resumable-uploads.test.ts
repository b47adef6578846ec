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

/** A port that passes connections on and cuts all of them each time so many more bytes have gone through. */
async function openCuttingDoor(to: number, cuts: readonly number[]) {
  const left = [...cuts];
  let passed = 0;
  let cut = 0;
  const open = new Set<() => void>();
  const server = createServer((front) => {
    const back = connect(to, "127.0.0.1");
    const end = () => {
      front.destroy();
      back.destroy();
      open.delete(end);
    };
    open.add(end);
    front.on("data", (bytes: Buffer) => {
      passed += bytes.length;
      if (left[0] !== undefined && passed >= left[0]) {
        left.shift();
        cut += 1;
        for (const one of [...open]) one();
        return;
      }
      if (!back.write(bytes)) {
        front.pause();
        back.once("drain", () => front.resume());
      }
    });
    back.on("data", (bytes: Buffer) => front.write(bytes));
    for (const socket of [front, back]) socket.on("error", end).on("close", end);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cut,
    passed: () => passed,
    close: () => {
      for (const one of [...open]) one();
      return new Promise((done) => server.close(done));
    },
  };
}

it("stores 50 MB from an independent client over a connection that is cut five times", async () => {
  const bytes = randomBytes(SIZE);
  const cuts = [4, 15, 16, 30, 43].map((at) => at * MEBIBYTE + 12_345);
  const door = await openCuttingDoor(Number(new URL(platform.url).port), cuts);
  let retries = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes, {
        endpoint: `http://127.0.0.1:${door.port}/storage/v1/upload/resumable`,
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
    await door.close();
  }
  expect(door.cuts()).toBe(5);
  expect(retries).toBeGreaterThanOrEqual(5);
  // What had come was kept: of a request that is cut, little comes twice.
  expect(door.passed() - SIZE).toBeLessThan(5 * 8 * MEBIBYTE);
  const got = await fetch(`${platform.url}/storage/v1/object/company/videos/long.bin`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  expect([got.status, got.headers.get("content-type"), got.headers.get("content-length")]).toEqual([
    200,
    "video/mp4",
    String(SIZE),
  ]);
  const digest = createHash("sha256");
  for await (const chunk of Readable.fromWeb(got.body as Parameters<typeof Readable.fromWeb>[0])) digest.update(chunk);
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

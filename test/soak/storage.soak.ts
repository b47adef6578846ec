// `npm run soak` kills storage repeatedly while files are stored, replaced, uploaded in parts, copied and deleted.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, isNotNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  company_quotas,
  quota_reservations,
  storage_blobs,
  storage_objects,
  storage_uploads,
  user_quotas,
} from "../../db/storage/schema";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { type Inbox, startInbox } from "../support/mail/maildev";
import { type KillablePlatform, openKillablePlatform } from "../support/platform/killable-platform";
import { expectStoredAgrees } from "../support/storage/agreement-rules";
import { signIn } from "./sign-in";

const KILLS = Number(process.env.SOAK_KILLS ?? 50);
const company = 1;
const KB = 1024;
const PART = 8 * KB * KB;
/** Range of the time between the first response after a start and the next kill. */
const UP_MS = { min: 300, max: 2500 };

let platform: KillablePlatform;
let inbox: Inbox;
let bearer = "";
const mails = mkdtempSync(join(tmpdir(), "platform-soak-mails-"));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  const many = "1000000/min";
  platform = await openKillablePlatform({
    identity: { JWT_ACCESS_TOKEN_LIFETIME: "1h" },
    storage: { API_MUTATION_RATE_LIMIT: many, DEFAULT_COMPANY_QUOTA_BYTES: "100G" },
  });
  inbox = await startInbox({ smtp: platform.smtpPort, web: await findFreePort() }, mails);
  await platform.start();
  bearer = await signIn(platform, inbox, "owner@example.com");
});
afterAll(async () => {
  await platform?.close();
  await inbox?.stop();
  rmSync(mails, { recursive: true, force: true });
});

/** Calls that a kill interrupted, and calls that received a response. `refusals` counts the error responses. */
const counts = { interrupted: 0, answered: 0 };
let isUp = true;
const refusals = new Map<string, number>();

/**
 * Sends a request and returns its response body, or null if it was rejected or interrupted by a kill. Waits while the
 * platform is down.
 */
async function call(method: string, path: string, body?: BodyInit, type = "application/octet-stream") {
  while (!isUp) await pause(20);
  const answer = await fetch(`${platform.url}/storage/storage/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": type }),
      ...(method === "POST" && { "x-upsert": "true" }),
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  // When the Workers are killed, the proxy in front of them responds instead, without a request id.
  if (!answer || text === null || text === undefined || !answer.headers.has("x-request-id")) {
    counts.interrupted += 1;
    await pause(20);
    return null;
  }
  counts.answered += 1;
  if (!answer.ok) {
    const refusal = `${method} ${path.replace(/[0-9a-f-]{36}/g, "…")} ${answer.status} ${text.slice(0, 120)}`;
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    return null;
  }
  return JSON.parse(text) as Record<string, unknown>;
}

const json = (value: unknown): [string, string] => [JSON.stringify(value), "application/json"];
const random = (limit: number) => Math.floor(Math.random() * limit);
/** Sizes in bytes of accepted files that no later call changes, by path. */
const unchangedFiles = new Map<string, number>();

const operations: (() => Promise<void>)[] = [
  async function storeFile() {
    const [path, size] = [`kept/${randomUUID()}.bin`, 1 + random(64 * KB)];
    if ((await call("POST", `object/company/${path}`, new Uint8Array(size))) !== null) unchangedFiles.set(path, size);
  },
  async function replaceFile() {
    await call("POST", `object/company/replaced/${random(5)}.bin`, new Uint8Array(1 + random(64 * KB)));
  },
  async function completeUpload() {
    const path = `kept/${randomUUID()}.bin`;
    const size = PART + 1 + random(KB);
    const upload = await call("POST", `upload/company/${path}`, ...json({ size }));
    if (upload === null) return;
    if ((await call("PUT", `upload/${upload.id}/1`, new Uint8Array(PART))) === null) return;
    if ((await call("PUT", `upload/${upload.id}/2`, new Uint8Array(size - PART))) === null) return;
    if ((await call("POST", `upload/${upload.id}/complete`, ...json({}))) !== null) unchangedFiles.set(path, size);
  },
  async function deleteFolder() {
    const folder = `deleted/${random(3)}`;
    await Promise.all(Array.from({ length: 12 }, (_, n) => call("POST", `object/company/${folder}/${n}.txt`, "x")));
    await call("DELETE", "object/prefix/company", ...json({ prefix: folder }));
  },
  async function copyAndMove() {
    const names = { bucketId: "company", sourceKey: `replaced/${random(5)}.bin` };
    await call("POST", "object/copy", ...json({ ...names, destinationKey: `copied/${random(5)}.bin` }));
  },
];

/**
 * Expires rows and runs the sweep twice: first reservations and uploads end, then their unreferenced blobs are deleted.
 */
async function sweepAll(): Promise<void> {
  const { storage } = platform;
  for (const _step of ["reservations", "blobs"]) {
    await storage.update(quota_reservations).set({ expires_at: 1 });
    await storage.update(storage_uploads).set({ expires_at: 1 });
    await storage.update(storage_blobs).set({ unreferenced_at: 1 }).where(isNotNull(storage_blobs.unreferenced_at));
    await platform.runCron();
  }
}

it(`keeps all accepted files and agrees with its bucket after ${KILLS} kills`, async () => {
  let isOver = false;
  const loops = operations.map(async (operation) => {
    while (!isOver) await operation();
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    const { answered } = counts;
    await expect.poll(() => counts.answered, { timeout: 60_000, interval: 20 }).toBeGreaterThan(answered);
    await pause(UP_MS.min + random(UP_MS.max - UP_MS.min));
    isUp = false;
    await platform.kill();
    await platform.start();
    isUp = true;
  }
  isOver = true;
  await Promise.all(loops);
  console.log(
    JSON.stringify(
      { kills: KILLS, ...counts, unchangedFiles: unchangedFiles.size, refusals: Object.fromEntries(refusals) },
      null,
      2,
    ),
  );
  // Without interrupted calls the test would prove nothing.
  expect(counts.interrupted).toBeGreaterThan(KILLS);

  await sweepAll();
  const { storage } = platform;
  const ofCompany = <T extends { company_id: Parameters<typeof eq>[0] }>(table: T) => eq(table.company_id, company);
  const objects = await storage.select().from(storage_objects).where(ofCompany(storage_objects));
  const sizes = new Map(objects.map(({ name, size }) => [name, size]));
  expect(
    [...unchangedFiles].filter(([path, size]) => sizes.get(path) !== size),
    "accepted and lost",
  ).toEqual([]);
  expectStoredAgrees({
    objects,
    blobs: await storage.select().from(storage_blobs).where(ofCompany(storage_blobs)),
    keys: await platform.listObjects(`${company}/`),
    reservations: await storage.select().from(quota_reservations).where(ofCompany(quota_reservations)),
    company: (await storage.select().from(company_quotas).where(ofCompany(company_quotas)))[0],
    users: await storage.select().from(user_quotas).where(ofCompany(user_quotas)),
  });
  for (const [path, size] of [...unchangedFiles].slice(-20)) {
    const answer = await fetch(`${platform.url}/storage/storage/v1/object/company/${path}`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, size]);
  }
});

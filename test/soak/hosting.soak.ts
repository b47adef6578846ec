// `npm run soak` kills hosting repeatedly during deployments by manifest and by archive, rollbacks and clean-ups, while a reader opens the
// live site: it must be one deployment, never parts of two.
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { and, eq, isNotNull, ne, notExists, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hosting_apps, hosting_blobs, hosting_cleanups, hosting_deployments } from "../../db/hosting/schema";
import type { Manifest } from "../../schemas/hosting/manifest";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { tarOfFiles } from "../support/hosting/archives";
import { type Inbox, startInbox } from "../support/mail/maildev";
import { type KillablePlatform, openKillablePlatform } from "../support/platform/killable-platform";
import { signIn } from "./sign-in";

const KILLS = Number(process.env.SOAK_KILLS ?? 20);
const company = 1;
/** Range of the time between the first response after a start and the next kill. */
const UP_MS = { min: 500, max: 4000 };

let platform: KillablePlatform;
let inbox: Inbox;
let bearer = "";
let app = { id: "", slug: "" };
const mails = mkdtempSync(join(tmpdir(), "platform-soak-mails-"));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const random = (limit: number) => Math.floor(Math.random() * limit);
const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

beforeAll(async () => {
  const many = "1000000/min";
  platform = await openKillablePlatform({
    identity: { JWT_ACCESS_TOKEN_LIFETIME: "1h" },
    hosting: {
      API_MUTATION_RATE_LIMIT: many,
      HOSTING_DEPLOY_RATE_LIMIT: many,
      HOSTING_UPLOAD_RATE_LIMIT: many,
      HOSTING_MAX_DEPLOYMENTS_PER_APP: "12",
    },
  });
  inbox = await startInbox({ smtp: platform.smtpPort, web: await findFreePort() }, mails);
  await platform.start();
  bearer = await signIn(platform, inbox, "owner@example.com");
  const created = await call("POST", "apps", ...json({ name: "soak", display_name: "Soak" }));
  if (created === null) throw new Error(`no app: ${[...refusals.keys()].join("; ")}`);
  app = { id: String(created.id), slug: String(created.slug) };
});
afterAll(async () => {
  await platform?.close();
  await inbox?.stop();
  rmSync(mails, { recursive: true, force: true });
});

/** Calls that a kill interrupted, and calls that received a response. `refusals` counts the error responses. */
const counts = { interrupted: 0, answered: 0, byManifest: 0, byArchive: 0, rollbacks: 0, cleanUps: 0 };
const reads = { sites: 0, files: 0, interrupted: 0, moved: 0, versions: new Set<string>() };
const mixtures: string[] = [];
const refusals = new Map<string, number>();
let isUp = true;

/** Sends a request and returns its response body, or null if it was rejected or interrupted. Waits while the platform is down. */
async function call(method: string, path: string, body?: BodyInit, type = "application/octet-stream") {
  while (!isUp) await pause(20);
  const answer = await fetch(`${platform.url}/hosting/hosting/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(40_000),
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
    const refusal = `${method} ${path.replace(/[0-9a-f-]{36,64}/g, "…")} ${answer.status} ${text.slice(0, 100)}`;
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    return null;
  }
  return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
}

const json = (value: unknown): [string, string] => [JSON.stringify(value), "application/json"];

/** Returns the files of a new version. Its `index.html` names assets whose names and contents contain the version. */
function filesOf(version: string): Record<string, string> {
  const hash = sha256Of(version).slice(0, 16);
  const assets = [`assets/app-${hash}.js`, `assets/style-${hash}.css`, `assets/chunk-${hash}.js`];
  const page = JSON.stringify({ version, assets });
  return {
    "index.html": page,
    "shared.txt": "the same in every version",
    ...Object.fromEntries(assets.map((path) => [path, `${version} ${path} ${"x".repeat(random(20_000))}`])),
  };
}

async function deployManifest(): Promise<void> {
  const files = filesOf(randomUUID());
  const manifest = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, { sha256: sha256Of(text), size: text.length }]),
  );
  const created = await call("POST", `apps/${app.id}/deployments`, ...json({ app_version: "1.0.0", manifest }));
  if (created === null) return;
  const texts = new Map(Object.values(files).map((text) => [sha256Of(text), text]));
  for (const sha256 of created.missing as string[]) {
    if ((await call("PUT", `apps/${app.id}/blobs/${sha256}`, texts.get(sha256) ?? "")) === null) return;
  }
  const live = await call("POST", `apps/${app.id}/deployments/${created.id}/finalize`);
  if (live?.status === "active") counts.byManifest += 1;
}

async function deployArchive(): Promise<void> {
  const archive = gzipSync(tarOfFiles(filesOf(randomUUID())));
  const created = await call("POST", `apps/${app.id}/deployments`, ...json({ app_version: "1.0.0" }));
  if (created === null) return;
  const path = `apps/${app.id}/deployments/${created.id}`;
  if ((await call("PUT", `${path}/upload`, archive as BodyInit, "application/gzip")) === null) return;
  const live = await call("POST", `${path}/finalize?wait=25`);
  if (live?.status === "active") counts.byArchive += 1;
}

async function rollBack(): Promise<void> {
  await pause(200);
  const page = await call("GET", `apps/${app.id}/deployments?status=superseded`);
  const earlier = (page?.results ?? []) as { id: string }[];
  const chosen = earlier[random(earlier.length)];
  if (chosen === undefined) return;
  if ((await call("POST", `apps/${app.id}/deployments/${chosen.id}/rollback`)) !== null) counts.rollbacks += 1;
}

/** Makes all files look old, unless a clean-up is running, and starts a clean-up. Lets interrupted imports continue. */
async function cleanUp(): Promise<void> {
  while (!isUp) await pause(20);
  await pause(300);
  const { hosting } = platform;
  const running = hosting.select({ id: hosting_cleanups.company_id }).from(hosting_cleanups);
  await hosting
    .update(hosting_blobs)
    .set({ touched_at: 1 })
    .where(notExists(running.where(ne(hosting_cleanups.position, ""))));
  await hosting.update(hosting_cleanups).set({ due_at: 1 }).where(eq(hosting_cleanups.position, ""));
  await endLeases();
  await platform.runCron("17 * * * *");
  await platform.runCron("* * * * *");
  counts.cleanUps += 1;
}

/** Ends the leases of killed invocations early, which would otherwise last two minutes. */
async function endLeases(): Promise<void> {
  const { hosting } = platform;
  const isOld = sql`lease_until < ${Date.now() + 110_000}`;
  await hosting.update(hosting_cleanups).set({ lease_until: 1 }).where(isOld);
  const extracting = eq(hosting_deployments.status, "extracting");
  await hosting.update(hosting_deployments).set({ lease_until: 1, next_step_at: 1 }).where(and(extracting, isOld));
}

/** Requests a file of the live site. Returns null when a kill interrupted the request. */
function read(path: string): Promise<{ status: number; text: string } | null> {
  const { hostname, port } = new URL(platform.url);
  return new Promise((resolve) => {
    const headers = { host: `${app.slug}.localhost:${port}` };
    const sent = request({ hostname, port, path, headers, timeout: 20_000 }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        // The proxy of wrangler accepts gzip in the name of every client.
        const isGzip = answer.headers["content-encoding"] === "gzip" && parts.length > 0;
        const bytes = Buffer.concat(parts);
        const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
        resolve(answer.headers["x-request-id"] === undefined ? null : { status: answer.statusCode ?? 0, text });
      });
      answer.on("error", () => resolve(null));
    });
    sent.on("error", () => resolve(null));
    sent.on("timeout", () => sent.destroy());
    sent.end();
  });
}

/** Opens the live site as a browser does: the page, then the assets that it names. */
async function readSite(): Promise<void> {
  while (!isUp) await pause(20);
  await pause(20);
  const page = await read("/");
  if (page === null) {
    reads.interrupted += 1;
    return;
  }
  if (page.status !== 200) {
    mixtures.push(`/ ${page.status} ${page.text.slice(0, 100)}`);
    return;
  }
  const { version, assets } = JSON.parse(page.text) as { version: string; assets: string[] };
  reads.sites += 1;
  reads.versions.add(version);
  for (const path of assets) {
    const file = await read(`/${path}`);
    if (file === null) {
      reads.interrupted += 1;
      return;
    }
    if (file.status === 200 && file.text.startsWith(`${version} ${path} `)) reads.files += 1;
    else if (await isStillLive(version))
      mixtures.push(`${path} ${file.status} ${file.text.slice(0, 60)} in ${version}`);
    // Only the last five deployments keep their assets for open tabs.
    else reads.moved += 1;
  }
}

async function isStillLive(version: string): Promise<boolean> {
  const page = await read("/");
  return page?.status === 200 && page.text.includes(version);
}

it(`serves one deployment at any time, and leaves nothing behind after ${KILLS} kills`, async () => {
  for (let first = 0; counts.byManifest === 0; first++) {
    if (first === 20) throw new Error(`no deployment went live: ${[...refusals.keys()].join("; ")}`);
    await deployManifest();
  }
  let isOver = false;
  const operations = [deployManifest, deployArchive, rollBack, cleanUp, readSite, readSite];
  const loops = operations.map(async (operation) => {
    while (!isOver) await operation().catch(() => pause(50));
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    const { answered } = counts;
    await expect.poll(() => counts.answered, { timeout: 60_000, interval: 20 }).toBeGreaterThan(answered);
    await pause(UP_MS.min + random(UP_MS.max - UP_MS.min));
    isUp = false;
    await platform.kill();
    // Otherwise the lock of a killed purge run would hold back clean-ups for 15 minutes.
    platform.expireLocks();
    await platform.start();
    isUp = true;
  }
  // Without a kill, imports that were interrupted end.
  await pause(5000);
  isOver = true;
  await Promise.all(loops);
  const read = { ...reads, versions: reads.versions.size };
  console.log(JSON.stringify({ kills: KILLS, ...counts, read, refusals: Object.fromEntries(refusals) }, null, 2));
  expect(mixtures).toEqual([]);
  // Without interrupted calls and deployments of each kind the test would prove nothing.
  expect(counts.interrupted).toBeGreaterThan(KILLS);
  for (const count of [counts.byManifest, counts.byArchive, counts.rollbacks, counts.cleanUps, reads.sites]) {
    expect(count).toBeGreaterThan(0);
  }
  await settle();
  await expectAgreement();
});

/** Ends what the kills interrupted: leases, imports, abandoned deployments and marks of clean-ups. */
async function settle(): Promise<void> {
  const { hosting } = platform;
  const unfinished = () =>
    hosting.select().from(hosting_deployments).where(eq(hosting_deployments.status, "extracting"));
  for (let round = 0; (await unfinished()).length > 0; round++) {
    if (round === 30) throw new Error("an import does not end");
    await hosting
      .update(hosting_deployments)
      .set({ lease_until: 1 })
      .where(eq(hosting_deployments.status, "extracting"));
    await hosting
      .update(hosting_deployments)
      .set({ next_step_at: 1 })
      .where(isNotNull(hosting_deployments.next_step_at));
    await platform.runCron("* * * * *");
    await pause(1000);
  }
  for (let round = 0; round < 3; round++) {
    await hosting
      .update(hosting_deployments)
      .set({ created_at: 1, updated_at: 1 })
      .where(sql`${hosting_deployments.status} in ('draft', 'uploading')`);
    await hosting.update(hosting_blobs).set({ touched_at: 1 });
    await hosting
      .insert(hosting_cleanups)
      .values({ company_id: company, due_at: 1, position: "" })
      .onConflictDoUpdate({ target: hosting_cleanups.company_id, set: { due_at: 1, lease_until: 1 } });
    await platform.runCron("17 * * * *");
    await expect
      .poll(async () => (await hosting.select().from(hosting_cleanups)).filter(({ due_at }) => due_at < Date.now()), {
        timeout: 60_000,
        interval: 300,
      })
      .toEqual([]);
  }
}

/** Expects that R2 and the rows have exactly what the deployments of the company need. */
async function expectAgreement(): Promise<void> {
  const { hosting } = platform;
  const deployments = await hosting
    .select()
    .from(hosting_deployments)
    .where(eq(hosting_deployments.company_id, company));
  const apps = await hosting.select().from(hosting_apps).where(eq(hosting_apps.company_id, company));
  const active = deployments.filter(({ status }) => status === "active");
  expect(active.map(({ id }) => id).sort()).toEqual(apps.flatMap((row) => row.current_deployment_id ?? []).sort());
  const named = new Set<string>();
  for (const { id, status } of deployments) {
    if (status !== "active" && status !== "superseded") continue;
    const manifest = JSON.parse((await platform.readFile(`manifests/${company}/${id}.json`)) ?? "null") as Manifest;
    for (const { sha256 } of Object.values(manifest.files)) named.add(sha256);
  }
  const blobs = await hosting.select().from(hosting_blobs).where(eq(hosting_blobs.company_id, company));
  const stored = blobs.filter(({ stored_at, removed_at }) => stored_at !== null && removed_at === null);
  expect(stored.map(({ sha256 }) => sha256).sort()).toEqual([...named].sort());
  expect(blobs).toHaveLength(named.size);
  // Objects of deleted deployments are kept for an hour, because they may belong to a request that is running.
  const keys = await platform.listObjects(`blobs/${company}/`, "hosting");
  const hashes = keys.map((key) => key.slice(`blobs/${company}/`.length));
  expect(hashes.filter((key) => !key.includes(".")).sort()).toEqual([...named].sort());
  expect(hashes.filter((key) => !named.has(key.slice(0, 64)))).toEqual([]);
  const imported = new Set(deployments.filter(({ status }) => status !== "ready").map(({ id }) => id));
  const archives = await platform.listObjects(`artifacts/${company}/`, "hosting");
  expect(archives.filter((key) => imported.has(key.slice(`artifacts/${company}/`.length)))).toEqual([]);
}

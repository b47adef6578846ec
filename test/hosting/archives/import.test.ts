import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { hosting_apps, hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { event_log } from "../../../db/kit/webhooks";
import type { Manifest } from "../../../schemas/hosting/manifest";
import { enqueueDueImports, runImport } from "../../../workers/hosting/archives/import";
import { FILES_PER_STEP } from "../../../workers/hosting/archives/store-files";
import { artifactKey, blobKey, manifestKey } from "../../../workers/hosting/files/keys";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS, MINUTE_MS } from "../../../workers/kit/time";
import { archiveOf, gzip, tarOf } from "../../support/hosting/archives";
import { keysOfCompany, sha256Of, storeBlob } from "../../support/hosting/files";
import { testEnv } from "../../support/hosting/hosting";
import { createServices, runCleanUps, setClock } from "../../support/hosting/steps";
import { startArchives } from "../../support/hosting/uploads";
import { restoreClock } from "../../support/restore";
import { readError } from "../../support/sibling/sibling";
import { readRows, updateRows } from "../../support/webhooks/rows";

afterEach(restoreClock);

const eventsOf = async (companyId: number, type: string) =>
  (await readRows(event_log, eq(event_log.company_id, companyId)))
    .filter(({ event_type }) => event_type === type)
    .map(({ data }) => JSON.parse(String(data)) as Record<string, unknown>);

const manifestOf = async (companyId: number, id: string) =>
  (await (await testEnv.FILES.get(manifestKey(companyId, id)))?.json()) as Manifest;

describe("the import of an archive", () => {
  it("makes the deployment live with its files, rules and event, and removes the archive", async () => {
    const archives = await startArchives();
    const { companyId } = archives;
    const app = await archives.createApp();
    const before = await archives.deploy(app.id, { "index.html": "old", "shared.js": "shared" });
    const deployment = await archives.deployArchive(app.id, {
      "./index.html": "<p>new",
      "assets/app.js": "x".repeat(3_000_000),
      "shared.js": "shared",
      _headers: "/*\n  X-Test: 1\nwrong",
      _redirects: "/a /b 301",
    });
    expect(deployment).toMatchObject({
      status: "active",
      file_count: 5,
      total_bytes: 6 + 3_000_000 + 6 + 20 + 9,
      bytes_new: 6 + 3_000_000 + 20 + 9,
      error: null,
      warnings: [{ file: "_headers", line: 3 }],
    });
    const manifest = await manifestOf(companyId, deployment.id);
    expect(Object.keys(manifest.files).sort()).toEqual(
      ["_headers", "_redirects", "assets/app.js", "index.html", "shared.js"].sort(),
    );
    expect(manifest.files["index.html"]).toEqual({ sha256: await sha256Of("<p>new"), size: 6, type: "text/html" });
    expect([manifest.headers, manifest.redirects]).toMatchObject([[{ path: "/*" }], [{ from: "/a", to: "/b" }]]);
    for (const { sha256, size } of Object.values(manifest.files)) {
      expect((await testEnv.FILES.head(blobKey(companyId, sha256)))?.size).toBe(size);
    }
    expect(await archives.find(app.id, before.id)).toMatchObject({ status: "superseded" });
    expect(await eventsOf(companyId, "hosting.deployment.succeeded")).toHaveLength(2);
    expect(await testEnv.FILES.head(artifactKey(companyId, deployment.id))).toBeNull();
    expect(await readRows(hosting_apps, eq(hosting_apps.id, app.id))).toMatchObject([
      { current_deployment_id: deployment.id },
    ]);
  });

  it("returns 202, and 200 with the result when the import ends within the wait", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    expect(await readError(await archives.finalize(app.id, id))).toEqual([400, "artifact_missing"]);
    for (const wait of ["26", "-1", "x", "1.5"]) {
      expect((await archives.finalize(app.id, id, `?wait=${wait}`)).status).toBe(400);
    }
    await archives.upload(app.id, id, (await archiveOf({ "index.html": "x" })) as BodyInit);
    const response = await archives.finalize(app.id, id, "?wait=0");
    expect([response.status, await response.json()]).toMatchObject([202, { status: "extracting" }]);
    const waiting = archives.finalize(app.id, id, "?wait=25");
    await archives.importAll(id);
    const done = await waiting;
    expect([done.status, await done.json()]).toMatchObject([200, { status: "active" }]);
    const failing = await archives.createDraft(app.id);
    await archives.upload(app.id, failing.id, "no archive");
    const failed = archives.finalize(app.id, failing.id, "?wait=25");
    await expect.poll(() => archives.importAll(failing.id)).toBe(1);
    const result = await failed;
    expect([result.status, await result.json()]).toMatchObject([
      200,
      { status: "failed", error: "artifact_extract_failed" },
    ]);
    expect(await readError(await archives.finalize(app.id, failing.id))).toEqual([409, "invalid_deployment_status"]);
  });

  it("stores at most 500 files in a step", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const count = 2 * FILES_PER_STEP + 50;
    const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f/${index}.txt`, `file ${index}`]));
    const id = await archives.start(app.id, await archiveOf(files));
    expect(await runImport(archives.services, { id, company_id: archives.companyId })).toBe(true);
    const blobs = await readRows(hosting_blobs, eq(hosting_blobs.company_id, archives.companyId));
    expect(blobs).toHaveLength(count);
    expect(blobs.filter(({ stored_at }) => stored_at !== null)).toHaveLength(FILES_PER_STEP);
    expect(await archives.rowOf(id)).toMatchObject({ status: "extracting", files_done: FILES_PER_STEP });
    expect(await archives.importAll(id)).toBe(2);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "active", file_count: count });
    expect((await keysOfCompany(archives.companyId)).filter((key) => key.startsWith("blobs/"))).toHaveLength(count);
  });

  it("continues when a step has died, at the request of the sweep", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const id = await archives.start(app.id, await archiveOf({ "index.html": "x" }));
    const died = { lease_token: "died", lease_until: clock.now() + MINUTE_MS, next_step_at: clock.now() + MINUTE_MS };
    await updateRows(hosting_deployments, died, eq(hosting_deployments.id, id));
    expect(await archives.importAll(id)).toBe(0);
    const { services, requested } = createServices();
    await enqueueDueImports(services);
    expect(requested.filter(({ ids }) => ids.includes(id))).toEqual([]);
    setClock(clock.now() + 2 * MINUTE_MS);
    await enqueueDueImports(services);
    expect(requested.filter(({ ids }) => ids.includes(id))).toMatchObject([{ kind: "extract" }]);
    expect(await archives.importAll(id)).toBe(1);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "active" });
  });

  it("waits for a clean-up that is removing one of its files", async () => {
    const archives = await startArchives();
    const { companyId } = archives;
    const app = await archives.createApp();
    const removed_at = clock.now() - 1000;
    const sha256 = await storeBlob(companyId, "marked", { removed_at, touched_at: 1 });
    const id = await archives.start(app.id, await archiveOf({ "index.html": "x", "a.txt": "marked" }));
    expect(await archives.importAll(id)).toBe(1);
    expect(await archives.rowOf(id)).toMatchObject({ status: "extracting" });
    setClock(clock.now() + 3 * MINUTE_MS);
    await testEnv.FILES.delete(blobKey(companyId, sha256));
    expect(await archives.importAll(id)).toBe(1);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "active" });
    expect(await (await testEnv.FILES.get(blobKey(companyId, sha256)))?.text()).toBe("marked");
  });

  it("stops when the deployment or its app is deleted meanwhile", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const id = await archives.start(app.id, await archiveOf({ "index.html": "x" }));
    expect((await archives.call(`apps/${app.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await archives.importAll(id)).toBe(0);
    expect(await readRows(hosting_deployments, eq(hosting_deployments.id, id))).toEqual([]);
  });
});

describe("an archive that cannot be deployed", () => {
  const file = { path: "a.txt", body: "1" };
  it.each([
    ["not gzip", new TextEncoder().encode("<html>"), ""],
    ["not tar", gzip(new TextEncoder().encode("x".repeat(3000))), ""],
    ["empty", gzip(tarOf([])), ""],
    ["a link", gzip(tarOf([file, { path: "b", typeflag: "2", linkname: "/etc/passwd" }])), "b"],
    ["a parent segment", gzip(tarOf([file, { path: "../b", body: "1" }])), "../b"],
    ["two paths that differ in case", gzip(tarOf([file, { path: "A.txt", body: "1" }])), "A.txt"],
    ["truncated", gzip(tarOf([file], { isOpen: true })), ""],
  ])("fails with its event and leaves nothing: %s", async (_case, archive, path) => {
    const archives = await startArchives();
    const { companyId } = archives;
    const app = await archives.createApp();
    const live = await archives.deploy(app.id, { "index.html": "live" });
    const id = await archives.start(app.id, await archive);
    expect(await archives.importAll(id)).toBe(1);
    const failed = await archives.find(app.id, id);
    expect(failed).toMatchObject({ status: "failed", error: "artifact_extract_failed" });
    expect(failed.warnings).toMatchObject([{ file: path, reason: expect.stringMatching(/\.$/) }]);
    const events = await eventsOf(companyId, "hosting.deployment.failed");
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      deployment_id: id,
      error: "artifact_extract_failed",
      app_version: "1.0.0",
    });
    expect((await keysOfCompany(companyId)).filter((key) => key.includes(id))).toEqual([]);
    expect(await archives.find(app.id, live.id)).toMatchObject({ status: "active" });
    setClock(clock.now() + 27 * HOUR_MS);
    await runCleanUps(companyId);
    expect(await keysOfCompany(companyId)).toHaveLength(2);
    restoreClock();
    // A failed deployment can receive another archive.
    const again = await archives.upload(app.id, id, (await archiveOf({ "index.html": "again" })) as BodyInit);
    expect(await again.json()).toMatchObject({ status: "ready", error: null, warnings: [] });
    await archives.finalize(app.id, id);
    await archives.importAll(id);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "active" });
  });

  it("fails with artifact_missing when the archive is not in R2", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const id = await archives.start(app.id, await archiveOf({ "index.html": "x" }));
    await testEnv.FILES.delete(artifactKey(archives.companyId, id));
    await archives.importAll(id);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "failed", error: "artifact_missing" });
    const events = await eventsOf(archives.companyId, "hosting.deployment.failed");
    expect(events).toMatchObject([{ error: "artifact_missing" }]);
  });

  it("fails when it makes no progress for an hour", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const id = await archives.start(app.id, await archiveOf({ "index.html": "x" }));
    const { services } = createServices({
      FILES: { get: async () => Promise.reject(new Error("R2 is away")), delete: async () => undefined } as never,
    });
    expect(await runImport(services, { id, company_id: archives.companyId })).toBe(true);
    expect(await archives.rowOf(id)).toMatchObject({ status: "extracting", lease_token: null });
    setClock(clock.now() + 2 * HOUR_MS);
    await archives.importAll(id);
    expect(await archives.rowOf(id)).toMatchObject({ status: "failed", error: "artifact_extract_failed" });
  });
});

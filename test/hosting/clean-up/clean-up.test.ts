import { and, eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { hosting_blobs, hosting_cleanups, hosting_deployments } from "../../../db/hosting/schema";
import { BLOBS_PER_STEP } from "../../../workers/hosting/clean-up/blobs";
import { runCleanUp } from "../../../workers/hosting/clean-up/clean-up";
import { requestCleanup } from "../../../workers/hosting/files/clean-up-request.store";
import { artifactKey, blobKey, manifestKey, variantKey, variantsKey } from "../../../workers/hosting/files/keys";
import { clock } from "../../../workers/kit/clock";
import { openDb } from "../../../workers/kit/db/db";
import { uuid } from "../../../workers/kit/ids";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../workers/kit/time";
import { meterDatabase } from "../../support/db/metered-database";
import { filesOf, keysOfCompany, storeBlob, storeDeployment } from "../../support/hosting/files";
import { testEnv } from "../../support/hosting/hosting";
import { createServices, findCleanup, runCleanUps, setClock } from "../../support/hosting/steps";
import { restoreClock } from "../../support/restore";
import { freshCompany } from "../../support/sibling/sibling";
import { insertRows, readRows, updateRows } from "../../support/webhooks/rows";

afterEach(restoreClock);

const db = openDb(testEnv.DB);

const blobsOf = async (companyId: number) =>
  (await readRows(hosting_blobs, eq(hosting_blobs.company_id, companyId))).map(({ sha256 }) => sha256).sort();

const requestNow = (companyId: number) => db.run(requestCleanup({ companyId, dueAt: clock.now(), now: clock.now() }));

const old = () => ({ touched_at: clock.now() - 25 * HOUR_MS });

describe("unused blobs", () => {
  it("removes those that no kept manifest names and nobody named for 24 hours, with their variants", async () => {
    const companyId = freshCompany();
    const [live, unused, recent, otherCompany] = [
      await storeBlob(companyId, "live", old()),
      await storeBlob(companyId, "unused", old()),
      await storeBlob(companyId, "recent"),
      await storeBlob(freshCompany(), "unused", old()),
    ] as const;
    await testEnv.FILES.put(variantKey(companyId, unused, "gzip"), "x");
    await testEnv.FILES.put(variantKey(companyId, live, "gzip"), "x");
    const id = await storeDeployment(companyId, filesOf(live));
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await blobsOf(companyId)).toEqual([live, recent].sort());
    expect(await keysOfCompany(companyId)).toEqual(
      [
        blobKey(companyId, live),
        variantKey(companyId, live, "gzip"),
        blobKey(companyId, recent),
        manifestKey(companyId, id),
      ].sort(),
    );
    expect(otherCompany).toBe(unused);
    // The recent blob may be unused a day later.
    expect((await findCleanup(companyId))?.due_at).toBeGreaterThan(clock.now() + DAY_MS);
    setClock(clock.now() + 26 * HOUR_MS);
    await runCleanUps(companyId);
    expect(await blobsOf(companyId)).toEqual([live]);
    expect(await findCleanup(companyId)).toBeUndefined();
  });

  it("keeps the blobs of every deployment that can go live, and of drafts for a day", async () => {
    const companyId = freshCompany();
    const states = ["draft", "ready", "extracting", "active", "superseded"] as const;
    const kept: string[] = [];
    for (const status of states) {
      const sha256 = await storeBlob(companyId, status, old());
      kept.push(sha256);
      await storeDeployment(companyId, filesOf(sha256), { status });
    }
    const failed = await storeBlob(companyId, "failed", old());
    await storeDeployment(companyId, filesOf(failed), { status: "failed" });
    const abandoned = await storeBlob(companyId, "old draft", old());
    const at = clock.now() - 25 * HOUR_MS;
    await storeDeployment(companyId, filesOf(abandoned), { status: "draft", created_at: at, updated_at: at });
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await blobsOf(companyId)).toEqual(kept.sort());
  });

  it("removes a marked blob, and keeps the row of one that was named again", async () => {
    const companyId = freshCompany();
    const removed_at = clock.now() - HOUR_MS;
    await storeBlob(companyId, "marked", { ...old(), removed_at });
    const named = await storeBlob(companyId, "marked and named", { removed_at });
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await readRows(hosting_blobs, eq(hosting_blobs.company_id, companyId))).toMatchObject([
      { sha256: named, stored_at: null, removed_at: null },
    ]);
    expect(await keysOfCompany(companyId)).toEqual([]);
  });

  it("removes nothing when the manifest of a live deployment is missing", async () => {
    const companyId = freshCompany();
    const sha256 = await storeBlob(companyId, "live", old());
    const id = await storeDeployment(companyId, filesOf(sha256));
    await testEnv.FILES.delete(manifestKey(companyId, id));
    await requestNow(companyId);
    await expect(runCleanUps(companyId)).rejects.toThrow("is missing");
    expect(await blobsOf(companyId)).toEqual([sha256]);
    expect(await findCleanup(companyId)).toMatchObject({ lease_token: null });
  });

  it("checks a bounded number of blobs per step with a bounded number of statements", async () => {
    const companyId = freshCompany();
    const count = 2 * BLOBS_PER_STEP + 10;
    const hashes = Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0"));
    const base = { company_id: companyId, size: 1, stored_at: 1, removed_at: null };
    const rows = hashes.map((sha256) => ({ ...base, sha256, touched_at: 1 }));
    for (let at = 0; at < count; at += 500) await insertRows(hosting_blobs, rows.slice(at, at + 500));
    const kept = hashes[BLOBS_PER_STEP] ?? "";
    await storeDeployment(companyId, filesOf(kept));
    await requestNow(companyId);
    const meter = meterDatabase(testEnv.DB);
    const { services } = createServices({ DB: meter.db });
    const statements: number[] = [];
    while (await runCleanUp(services, companyId)) statements.push(meter.takeStatements().length);
    expect(await blobsOf(companyId)).toEqual([kept]);
    // Three pages of blobs after the rows, manifests and archives.
    expect(statements).toHaveLength(6);
    expect(Math.max(...statements)).toBeLessThanOrEqual(8);
  });
});

describe("objects of deployments", () => {
  it("removes those of deleted and failed deployments, and archives that were imported", async () => {
    const companyId = freshCompany();
    const put = (key: string) => testEnv.FILES.put(key, "x");
    const kept: string[] = [];
    const ids: Record<string, string> = {};
    for (const status of ["draft", "uploading", "ready", "extracting", "active", "superseded", "failed"] as const) {
      const id = await storeDeployment(companyId, {}, { status });
      ids[status] = id;
      await put(artifactKey(companyId, id));
      await put(variantsKey(companyId, id));
      if (status !== "failed") kept.push(manifestKey(companyId, id), variantsKey(companyId, id));
      if (!["active", "superseded", "failed"].includes(status)) kept.push(artifactKey(companyId, id));
    }
    const deleted = uuid();
    for (const keyOf of [manifestKey, variantsKey, artifactKey]) await put(keyOf(companyId, deleted));
    setClock(clock.now() + 2 * HOUR_MS);
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await keysOfCompany(companyId)).toEqual(kept.sort());
    const [failed] = await readRows(hosting_deployments, eq(hosting_deployments.id, ids.failed ?? ""));
    expect(failed).toMatchObject({ lease_token: null, lease_until: null });
  });

  it("keeps young objects without a deployment, whose rows may not be stored yet", async () => {
    const companyId = freshCompany();
    await testEnv.FILES.put(manifestKey(companyId, uuid()), "{}");
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await keysOfCompany(companyId)).toHaveLength(1);
    setClock(clock.now() + 26 * HOUR_MS);
    await runCleanUps(companyId);
    expect([await keysOfCompany(companyId), await findCleanup(companyId)]).toEqual([[], undefined]);
  });

  it("leaves a failed deployment alone while an upload holds it", async () => {
    const companyId = freshCompany();
    const lease = { lease_token: "upload", lease_until: clock.now() + MINUTE_MS };
    const id = await storeDeployment(companyId, null, { status: "failed", ...lease });
    await testEnv.FILES.put(artifactKey(companyId, id), "x");
    await requestNow(companyId);
    await runCleanUps(companyId);
    expect(await keysOfCompany(companyId)).toEqual([artifactKey(companyId, id)]);
    expect((await findCleanup(companyId))?.due_at).toBeGreaterThan(clock.now() + DAY_MS);
  });
});

describe("abandoned deployments", () => {
  it("deletes drafts and interrupted uploads a day after their last change, with their objects", async () => {
    const companyId = freshCompany();
    const at = clock.now() - 25 * HOUR_MS;
    for (const status of ["draft", "uploading"] as const) {
      await storeDeployment(companyId, {}, { status, created_at: at, updated_at: at });
    }
    const uploaded = await storeDeployment(companyId, null, { status: "ready", created_at: at, updated_at: at });
    const recent = await storeDeployment(companyId, {}, { status: "draft" });
    setClock(clock.now() + 2 * HOUR_MS);
    await requestNow(companyId);
    await runCleanUps(companyId);
    const left = await readRows(hosting_deployments, eq(hosting_deployments.company_id, companyId));
    expect(left.map(({ id }) => id).sort()).toEqual([uploaded, recent].sort());
    expect(await keysOfCompany(companyId)).toEqual([manifestKey(companyId, recent)]);
    expect((await findCleanup(companyId))?.due_at).toBeGreaterThan(clock.now() + DAY_MS);
  });
});

describe("the steps of a clean-up", () => {
  it("runs one step at a time, and none before it is due", async () => {
    const companyId = freshCompany();
    await db.run(requestCleanup({ companyId, dueAt: clock.now() + HOUR_MS, now: clock.now() }));
    const { services, requested } = createServices();
    expect(await runCleanUp(services, companyId)).toBe(false);
    await requestNow(companyId);
    const steps = await Promise.all([1, 2, 3].map(() => runCleanUp(services, companyId)));
    expect(steps.filter(Boolean)).toHaveLength(1);
    expect(requested).toMatchObject([{ v: 1, kind: "clean_up", company_id: companyId, ids: [String(companyId)] }]);
  });

  it("continues after the lease of a step that died", async () => {
    const companyId = freshCompany();
    await requestNow(companyId);
    const lease = { lease_token: "dead", lease_until: clock.now() + 2 * MINUTE_MS };
    await updateRows(hosting_cleanups, lease, eq(hosting_cleanups.company_id, companyId));
    expect(await runCleanUps(companyId)).toBe(0);
    setClock(clock.now() + 3 * MINUTE_MS);
    expect(await runCleanUps(companyId)).toBe(4);
    expect(await findCleanup(companyId)).toBeUndefined();
  });

  it("is repeated when a change requests it while it runs", async () => {
    const companyId = freshCompany();
    await requestNow(companyId);
    const { services } = createServices();
    await runCleanUp(services, companyId);
    const before = clock.now();
    await requestNow(companyId);
    await runCleanUps(companyId);
    const row = await findCleanup(companyId);
    expect(row).toMatchObject({ position: "", lease_token: null });
    expect(row?.due_at).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(row?.due_at).toBeLessThan(before + 2 * HOUR_MS);
    expect(await readRows(hosting_cleanups, and(eq(hosting_cleanups.company_id, companyId)))).toHaveLength(1);
  });
});

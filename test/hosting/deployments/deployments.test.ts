import { describe, expect, it } from "vitest";
import type { PublicDeployment } from "../../../schemas/hosting/deployment";
import { manifestKey } from "../../../workers/hosting/files/keys";
import { startApps } from "../../support/hosting/apps";
import { testEnv } from "../../support/hosting/hosting";
import { readError } from "../../support/sibling/sibling";

type Apps = Awaited<ReturnType<typeof startApps>>;
type Page = { count?: number; results: PublicDeployment[]; next_cursor: string | null };

const list = async ({ call }: Apps, app: string, search = "") =>
  (await (await call(`apps/${app}/deployments?${search}`)).json()) as Page;
const idsOf = ({ results }: Page) => results.map(({ id }) => id);

describe("the deployments of an app", () => {
  it("are listed newest first, by page, cursor and status", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await apps.deploy(name, { "index.html": `${i}` })).id);
    ids.unshift((await apps.createDeployment(name, { "index.html": "draft" })).created.id);
    expect(idsOf(await list(apps, name))).toEqual(ids);
    const first = await list(apps, name, "page_size=3");
    expect([first.count, idsOf(first)]).toEqual([4, ids.slice(0, 3)]);
    expect(idsOf(await list(apps, name, `page_size=3&cursor=${first.next_cursor}`))).toEqual(ids.slice(3));
    expect(idsOf(await list(apps, name, "status=draft"))).toEqual(ids.slice(0, 1));
    expect(idsOf(await list(apps, name, "status=active"))).toEqual(ids.slice(1, 2));
    expect(await list(apps, name, "status=superseded")).toMatchObject({ count: 2 });
    const invalid = await apps.call(`apps/${name}/deployments?status=live`);
    expect(await invalid.json()).toMatchObject({ field_errors: { status: ["invalid"] } });
  });

  it("are invisible to other companies and below other apps", async () => {
    const [apps, others] = [await startApps(), await startApps()];
    const [app, second] = [await apps.createApp(), await apps.createApp()];
    const { id } = await apps.deploy(app.name, { "index.html": "one" });
    const foreign = await others.createApp({ name: app.name });
    for (const response of [
      await others.call(`apps/${app.id}/deployments/${id}`),
      await others.call(`apps/${foreign.name}/deployments/${id}`),
      await apps.call(`apps/${second.id}/deployments/${id}`),
      await others.finalize(foreign.id, id),
      await others.call(`apps/${app.id}/deployments`),
    ]) {
      expect(await readError(response)).toEqual([404, "not_found"]);
    }
  });

  it("are limited: a new one removes the oldest that is neither live nor pinned", async () => {
    const apps = await startApps({ HOSTING_MAX_DEPLOYMENTS_PER_APP: "3" });
    const { name } = await apps.createApp();
    const pinned = await apps.deploy(name, { "index.html": "pinned" }, { pinned: true });
    const live = await apps.deploy(name, { "index.html": "live" });
    const { created: draft } = await apps.createDeployment(name, { "index.html": "draft" });
    expect(idsOf(await list(apps, name))).toEqual([draft.id, live.id, pinned.id]);
    const { created: next } = await apps.createDeployment(name, { "index.html": "next" });
    expect(idsOf(await list(apps, name))).toEqual([next.id, live.id, pinned.id]);
    expect(await readError(await apps.finalize(name, draft.id))).toEqual([404, "not_found"]);
  });

  it("are rejected while all others are pinned or live", async () => {
    const apps = await startApps({ HOSTING_MAX_DEPLOYMENTS_PER_APP: "2" });
    const { name } = await apps.createApp();
    const pinned = await apps.deploy(name, { "index.html": "pinned" }, { pinned: true });
    const live = await apps.deploy(name, { "index.html": "live" });
    const json = { app_version: "1.0.0" };
    expect(await readError(await apps.call(`apps/${name}/deployments`, { json }))).toEqual([
      403,
      "deployment_quota_exceeded",
    ]);
    const manifest = { "index.html": { sha256: "0".repeat(64), size: 1 } };
    const dryRun = await apps.send(`apps/${name}/deployments`, { ...json, manifest, dry_run: true }, 200);
    expect(dryRun).toMatchObject({ fits: false });
    expect(idsOf(await list(apps, name))).toEqual([live.id, pinned.id]);
  });

  it("never exceed the limit with parallel requests", async () => {
    const apps = await startApps({ HOSTING_MAX_DEPLOYMENTS_PER_APP: "3" });
    const { name } = await apps.createApp();
    await Promise.all(Array.from({ length: 12 }, (_, i) => apps.createDeployment(name, { "index.html": `${i}` })));
    expect(await list(apps, name)).toMatchObject({ count: 3 });
  });

  it("are created at most at the rate of the setting", async () => {
    const apps = await startApps({ HOSTING_DEPLOY_RATE_LIMIT: "1/min" });
    const { name } = await apps.createApp();
    await apps.createDeployment(name, { "index.html": "one" });
    const json = { app_version: "1.0.0" };
    for (const path of [`apps/${name}/deployments`, "preview"]) {
      expect(await readError(await apps.call(path, { json }))).toEqual([429, "rate_limited"]);
    }
  });
});

describe("a deployment", () => {
  it("is deleted unless it is live", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const first = await apps.deploy(name, { "index.html": "one" });
    const second = await apps.deploy(name, { "index.html": "two" });
    const remove = (id: string) => apps.call(`apps/${name}/deployments/${id}`, { method: "DELETE" });
    expect(await readError(await remove(second.id))).toEqual([409, "invalid_deployment_status"]);
    expect((await remove(first.id)).status).toBe(204);
    expect((await remove(first.id)).status).toBe(404);
    expect(idsOf(await list(apps, name))).toEqual([second.id]);
  });

  it("without files cannot go live", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { id } = await apps.send<PublicDeployment>(`apps/${name}/deployments`, { app_version: "1.0.0" }, 201);
    expect(await readError(await apps.finalize(name, id))).toEqual([400, "artifact_missing"]);
  });

  it("whose manifest R2 did not keep cannot go live", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { site, created } = await apps.createDeployment(name, { "index.html": "one" });
    await apps.uploadMissing(name, site, created.missing);
    await testEnv.FILES.delete(manifestKey(apps.companyId, created.id));
    expect(await readError(await apps.finalize(name, created.id))).toEqual([502, "storage_error"]);
    const again = await apps.createDeployment(name, site);
    expect(again.created.missing).toEqual([]);
    expect((await apps.finalize(name, again.created.id)).status).toBe(200);
  });
});

describe("the difference of two deployments", () => {
  it("lists added, changed and removed files by path", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const a = await apps.deploy(name, { "index.html": "one", "b.js": "let b", "same.css": "a {}" });
    const { created: b } = await apps.createDeployment(name, {
      "index.html": "seven",
      "same.css": "a {}",
      "c.js": "let c",
      constructor: "c",
    });
    const diff = async (from: string, to: string) =>
      (await apps.call(`apps/${name}/deployments/${from}/diff/${to}`)).json();
    expect(await diff(a.id, b.id)).toEqual({
      added: [
        { path: "c.js", size: 5 },
        { path: "constructor", size: 1 },
      ],
      changed: [{ path: "index.html", size: 5, previous_size: 3 }],
      removed: [{ path: "b.js", size: 5 }],
    });
    expect(await diff(a.id, a.id)).toEqual({ added: [], changed: [], removed: [] });
  });

  it("is not available for a deployment without files", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const a = await apps.deploy(name, { "index.html": "one" });
    const b = await apps.send<PublicDeployment>(`apps/${name}/deployments`, { app_version: "1.0.0" }, 201);
    const response = await apps.call(`apps/${name}/deployments/${a.id}/diff/${b.id}`);
    expect(await readError(response)).toEqual([409, "invalid_deployment_status"]);
  });
});

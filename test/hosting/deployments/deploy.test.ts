import { expect, it } from "vitest";
import { startApps } from "../../support/hosting/apps";
import { readError } from "../../support/sibling/sibling";

it("deploys by manifest: create, upload the missing files, finalize", async () => {
  const apps = await startApps();
  const app = await apps.createApp();
  const { site, created } = await apps.createDeployment(app.name, { "index.html": "<h1>one</h1>", "a.js": "let a" });
  expect(created).toMatchObject({
    status: "draft",
    file_count: 2,
    total_bytes: 17,
    bytes_new: 17,
    fits: true,
    bytes_missing: 17,
  });
  expect(new Set(created.missing)).toEqual(new Set(site.blobs.keys()));
  const early = await apps.finalize(app.slug, created.id);
  expect([early.status, await early.json()]).toMatchObject([
    409,
    { error_code: "blobs_missing", missing: created.missing },
  ]);
  await apps.uploadMissing(app.id, site, created.missing);
  const response = await apps.finalize(app.slug, created.id);
  expect(await response.json()).toMatchObject({
    id: created.id,
    status: "active",
    urls: { url: `http://${app.slug}.localhost` },
  });
  expect((await apps.finalize(app.slug, created.id)).status).toBe(200);
  expect(await (await apps.call(`apps/${app.name}`)).json()).toMatchObject({
    current_deployment_id: created.id,
    urls: { url: `http://${app.slug}.localhost` },
  });
});

it("uploads only new files, and rolls back without an upload", async () => {
  const apps = await startApps();
  const { name } = await apps.createApp();
  const first = await apps.deploy(name, { "index.html": "one", "a.js": "let a" });
  const { created } = await apps.createDeployment(name, { "index.html": "two", "a.js": "let a" });
  expect(created).toMatchObject({ bytes_new: 3, bytes_missing: 3 });
  const second = await apps.deploy(name, { "index.html": "two", "a.js": "let a" });
  const rolledBack = await apps.rollback(name, first.id);
  expect(await rolledBack.json()).toMatchObject({ id: first.id, status: "active" });
  expect(await (await apps.call(`apps/${name}/deployments/${second.id}`)).json()).toMatchObject({
    status: "superseded",
  });
  expect(await readError(await apps.rollback(name, created.id))).toEqual([409, "invalid_deployment_status"]);
});

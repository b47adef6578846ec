import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log, hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import type { PublicApp } from "../../../schemas/hosting/app";
import type { PublicDeployment } from "../../../schemas/hosting/deployment";
import { loseAnswer } from "../../support/db/lost-answer";
import { type Created, startApps } from "../../support/hosting/apps";
import { eventsOf } from "../../support/hosting/events";
import { testEnv } from "../../support/hosting/hosting";
import { readError } from "../../support/sibling/sibling";
import { readRows, updateRows } from "../../support/webhooks/rows";

/** Round trips after the response, which send the origin of the app to identity. */
const ORIGIN_TRIPS = 2;

type Apps = Awaited<ReturnType<typeof startApps>>;

const readApp = async ({ call }: Apps, app: string) => (await (await call(`apps/${app}`)).json()) as PublicApp;
const readDeployment = async ({ call }: Apps, app: string, id: string) =>
  (await (await call(`apps/${app}/deployments/${id}`)).json()) as PublicDeployment;

/** The events of a company that changed what is live, in the order of their times. */
const liveEvents = async ({ companyId }: Apps) =>
  (await eventsOf(companyId)).filter(({ type }) => /succeeded|rolled_back/.test(type));

/** Expects the times of the live events to ascend, and each to name the deployment that was live before. */
async function expectOneOrder(apps: Apps): Promise<string | null> {
  const events = await liveEvents(apps);
  expect(new Set(events.map(({ time }) => time)).size).toBe(events.length);
  let live: string | null = null;
  for (const { data } of events) {
    expect(data.previous_deployment_id).toBe(live);
    live = data.deployment_id ?? null;
  }
  return live;
}

describe("a deployment that goes live", () => {
  it("writes an event with its address and numbers, and an audit entry", async () => {
    const apps = await startApps();
    const app = await apps.createApp();
    const first = await apps.deploy(app.id, { "index.html": "one" }, { shell_version: "2.0.1" });
    const second = await apps.deploy(app.id, { "index.html": "one", "a.js": "let a" }, { app_version: "1.1.0" });
    const common = { app_id: app.id, name: app.name, slug: app.slug, company_id: apps.companyId, status: "active" };
    const url = `http://${app.slug}.localhost`;
    expect((await liveEvents(apps)).map(({ data }) => data)).toEqual([
      {
        ...common,
        display_name: "Field Notes",
        deployment_id: first.id,
        app_version: "1.0.0",
        shell_version: "2.0.1",
        url,
        file_count: 1,
        bytes_new: 3,
        previous_deployment_id: null,
      },
      {
        ...common,
        display_name: "Field Notes",
        deployment_id: second.id,
        app_version: "1.1.0",
        shell_version: null,
        url,
        file_count: 2,
        bytes_new: 5,
        previous_deployment_id: first.id,
      },
    ]);
    const created = (await eventsOf(apps.companyId)).filter(({ type }) => type === "hosting.deployment.created");
    expect(created.map(({ data }) => [data.bytes_new, data.file_count, data.status])).toEqual([
      [3, 1, "draft"],
      [5, 2, "draft"],
    ]);
    const entries = await readRows(audit_log, eq(audit_log.company_id, apps.companyId));
    expect(entries.filter(({ action }) => action === "deployment.finalized").map(({ target }) => target)).toEqual([
      `deployment:${first.id}`,
      `deployment:${second.id}`,
    ]);
  });

  it("goes live once when the response of the database is lost", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { site, created } = await apps.createDeployment(name, { "index.html": "one" });
    await apps.uploadMissing(name, site, created.missing);
    const response = await apps.call(`apps/${name}/deployments/${created.id}/finalize`, {
      method: "POST",
      bindings: { DB: loseAnswer(testEnv.DB, 2) },
    });
    expect(await response.json()).toMatchObject({ id: created.id, status: "active" });
    expect(await liveEvents(apps)).toHaveLength(1);
    const entries = await readRows(audit_log, eq(audit_log.company_id, apps.companyId));
    expect(entries.filter(({ action }) => action === "deployment.finalized")).toHaveLength(1);
  });

  it("reads `_headers` and `_redirects`, and reports the lines that it does not understand", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { site, created } = await apps.createDeployment(name, {
      "index.html": "one",
      _redirects: "/old /new 301\n/broken\n",
      _headers: "/*\n  X-Robots-Tag: noindex\n",
    });
    expect(await readError(await apps.finalize(name, created.id))).toEqual([409, "blobs_missing"]);
    await apps.uploadMissing(name, site, created.missing);
    const live = (await (await apps.finalize(name, created.id)).json()) as PublicDeployment;
    expect(live.warnings).toMatchObject([{ file: "_redirects", line: 2, text: "/broken" }]);
    const manifest = await testEnv.FILES.get(`manifests/${apps.companyId}/${created.id}.json`);
    expect(await manifest?.json()).toMatchObject({
      headers: [{ set: [["x-robots-tag", "noindex"]] }],
      redirects: [{ to: "/new", status: 301 }],
    });
  });

  it("takes two round trips and less than a second with 5,000 files", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const hashOfNumber = (i: number) => i.toString(16).padStart(64, "0");
    const manifest = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`assets/${i}.js`, { sha256: hashOfNumber(i), size: i }]),
    );
    const body = { app_version: "1.0.0", manifest };
    const created = await apps.send<Created>(`apps/${name}/deployments`, body, 201);
    expect(created.missing).toHaveLength(5000);
    // 5,000 uploads would take a minute.
    await updateRows(hosting_blobs, { stored_at: 1 }, eq(hosting_blobs.company_id, apps.companyId));
    const trips = apps.hosting.roundTrips();
    const startedAt = Date.now();
    const response = await apps.finalize(name, created.id);
    const tookMs = Date.now() - startedAt;
    expect([response.status, apps.hosting.roundTrips() - trips]).toEqual([200, 2 + ORIGIN_TRIPS]);
    expect(tookMs).toBeLessThan(1000);
    expect(await apps.send(`apps/${name}/deployments`, body, 201)).toMatchObject({ missing: [], bytes_new: 0 });
  });
});

describe("a rollback", () => {
  it("makes an earlier deployment live without an upload, and can be repeated", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const first = await apps.deploy(name, { "index.html": "one" });
    const second = await apps.deploy(name, { "index.html": "two" });
    const trips = apps.hosting.roundTrips();
    const rolledBack = (await (await apps.rollback(name, first.id)).json()) as PublicDeployment;
    expect(apps.hosting.roundTrips() - trips).toBe(2 + ORIGIN_TRIPS);
    expect(rolledBack).toMatchObject({ id: first.id, status: "active", finalized_at: first.finalized_at });
    expect((await apps.rollback(name, first.id)).status).toBe(200);
    expect(await readApp(apps, name)).toMatchObject({ current_deployment_id: first.id });
    expect(await readDeployment(apps, name, second.id)).toMatchObject({ status: "superseded" });
    expect((await liveEvents(apps)).at(-1)).toMatchObject({
      type: "hosting.deployment.rolled_back",
      data: { deployment_id: first.id, previous_deployment_id: second.id, status: "active" },
    });
    expect(await expectOneOrder(apps)).toBe(first.id);
  });

  it("is rejected for a deployment that was never live; a finalize for one that was", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const first = await apps.deploy(name, { "index.html": "one" });
    await apps.deploy(name, { "index.html": "two" });
    const { created } = await apps.createDeployment(name, { "index.html": "three" });
    const wrongStatus = [409, "invalid_deployment_status"];
    expect(await readError(await apps.rollback(name, created.id))).toEqual(wrongStatus);
    expect(await readError(await apps.finalize(name, first.id))).toEqual(wrongStatus);
  });
});

describe("parallel releases", () => {
  it("have one order, which the events show: 25 finalizes and 25 rollbacks", async () => {
    const apps = await startApps({ HOSTING_MAX_DEPLOYMENTS_PER_APP: "100" });
    const app = await apps.createApp();
    const earlier: string[] = [];
    for (let i = 0; i < 5; i++) earlier.push((await apps.deploy(app.id, { "index.html": `earlier ${i}` })).id);
    const drafts: string[] = [];
    for (let i = 0; i < 25; i++) {
      const { site, created } = await apps.createDeployment(app.id, { "index.html": `draft ${i}` });
      await apps.uploadMissing(app.id, site, created.missing);
      drafts.push(created.id);
    }
    const rollbacks = Array.from({ length: 25 }, (_, i) => apps.rollback(app.id, earlier[i % 5] ?? ""));
    const responses = await Promise.all([...drafts.map((id) => apps.finalize(app.id, id)), ...rollbacks]);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length, String(statuses)).toBe(50);
    const live = await expectOneOrder(apps);
    expect((await readApp(apps, app.id)).current_deployment_id).toBe(live);
    const rows = await readRows(hosting_deployments, eq(hosting_deployments.app_id, app.id));
    expect(rows.filter(({ status }) => status === "active").map(({ id }) => id)).toEqual([live]);
    const events = await liveEvents(apps);
    const finalized = events.filter(({ type }) => type.endsWith("succeeded")).map(({ data }) => data.deployment_id);
    expect(new Set(finalized.slice(5))).toEqual(new Set(drafts));
  });

  it("make a deployment live once when it is finalized 20 times", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const { site, created } = await apps.createDeployment(name, { "index.html": "one" });
    await apps.uploadMissing(name, site, created.missing);
    const responses = await Promise.all(Array.from({ length: 20 }, () => apps.finalize(name, created.id)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await liveEvents(apps)).toHaveLength(1);
  });
});

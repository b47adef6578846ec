import { describe, expect, it } from "vitest";
import type { PublicApp } from "../../../schemas/hosting/app";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS } from "../../../workers/kit/time";
import { type Created, siteOf, startApps } from "../../support/hosting/apps";
import { eventsOf } from "../../support/hosting/events";
import { restoreAfterEach } from "../../support/restore";
import { readError } from "../../support/sibling/sibling";

restoreAfterEach();

type Preview = {
  app: PublicApp;
  deployment: Created;
  slug: string;
  expires_at: string;
  urls: { url: string; deployment_url: string };
  missing?: string[];
};

const passDays = (days: number) => {
  const now = clock.now() + days * DAY_MS;
  clock.now = () => now;
};

const renewal = { method: "POST" };

describe("a preview", () => {
  it("is created with its first deployment, and goes live like an app", async () => {
    const apps = await startApps();
    const site = await siteOf({ "index.html": "preview" });
    const body = { display_name: "Pull request 7", app_version: "1.4.0-pr.7", manifest: site.manifest };
    const preview = await apps.send<Preview>("preview", body, 201);
    const { slug, deployment } = preview;
    expect(preview).toMatchObject({
      app: { slug, display_name: "Pull request 7", expires_at: preview.expires_at, current_deployment_id: null },
      deployment: { status: "draft", app_version: "1.4.0-pr.7", expires_at: preview.expires_at, file_count: 1 },
      urls: {
        url: `http://${slug}.localhost`,
        deployment_url: `http://${slug}--${deployment.id.slice(0, 8)}.localhost`,
      },
      missing: [...site.blobs.keys()],
    });
    expect(Date.parse(preview.expires_at) - Date.parse(preview.app.created_at)).toBe(7 * DAY_MS);
    await apps.uploadMissing(slug, site, preview.missing ?? []);
    expect((await apps.finalize(slug, deployment.id)).status).toBe(200);
    const types = (await eventsOf(apps.companyId)).map(({ type }) => type).sort();
    expect(types).toEqual(["hosting.app.created", "hosting.deployment.created", "hosting.deployment.succeeded"]);
  });

  it("gets further deployments from the user who created it, and from no other", async () => {
    const apps = await startApps();
    const { slug, app } = await apps.send<Preview>("preview", { app_version: "1.0.0" }, 201);
    const again = await apps.send<Preview>("preview", { slug, app_version: "1.0.1" }, 201);
    expect(again).toMatchObject({ app: { id: app.id }, deployment: { app_version: "1.0.1" } });
    const json = { slug, app_version: "1.0.1" };
    expect(await readError(await apps.call("preview", { json, bearer: apps.owner }))).toEqual([
      403,
      "preview_forbidden",
    ]);
  });

  it("is not found by an unknown slug, the slug of an app or that of another company", async () => {
    const [apps, others] = [await startApps(), await startApps()];
    const foreign = await others.send<Preview>("preview", { app_version: "1.0.0" }, 201);
    for (const slug of ["a00000000000", (await apps.createApp()).slug, foreign.slug]) {
      const response = await apps.call("preview", { json: { slug, app_version: "1.0.0" } });
      expect(await readError(response)).toEqual([404, "preview_not_found"]);
    }
  });

  it("can be renewed until it expires", async () => {
    const apps = await startApps();
    const { slug } = await apps.send<Preview>("preview", { app_version: "1.0.0" }, 201);
    passDays(6);
    const renewed = (await (await apps.call(`apps/${slug}/renew-expiry`, renewal)).json()) as PublicApp;
    expect(Date.parse(renewed.expires_at ?? "")).toBe(clock.now() + 7 * DAY_MS);
    passDays(8);
    const expired = [409, "preview_expired"];
    expect(await readError(await apps.call(`apps/${slug}/renew-expiry`, renewal))).toEqual(expired);
    expect(await readError(await apps.call("preview", { json: { slug, app_version: "1.0.1" } }))).toEqual(expired);
    const json = { app_version: "1.0.1" };
    expect(await readError(await apps.call(`apps/${slug}/deployments`, { json }))).toEqual(expired);
  });

  it("counts towards the number of apps until it expires", async () => {
    const apps = await startApps({ HOSTING_MAX_APPS_PER_COMPANY: "1" });
    await apps.send("preview", { app_version: "1.0.0" }, 201);
    const json = { app_version: "1.0.0" };
    expect(await readError(await apps.call("preview", { json }))).toEqual([403, "app_quota_exceeded"]);
    expect(await eventsOf(apps.companyId)).toHaveLength(2);
    passDays(8);
    await apps.send("preview", { app_version: "1.0.0" }, 201);
  });

  it("is no other app", async () => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    expect(await readError(await apps.call(`apps/${name}/renew-expiry`, renewal))).toEqual([409, "not_preview"]);
  });
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hosting_apps, hosting_deployments, hosting_domains } from "../../../db/hosting/schema";
import { forgetLookups } from "../../../workers/hosting/live/lookup";
import { clock } from "../../../workers/kit/clock";
import { appDomain, startLiveApp } from "../../support/hosting/live-app";
import { insertRow, updateRows } from "../../support/webhooks/rows";

const asset = "assets/index-B1x_yz9A.js";

/** Moves the clock of the Workers forward. */
function advance(ms: number): void {
  const now = clock.now() + ms;
  clock.now = () => now;
}

describe("lookups", () => {
  it("reads D1 once in five seconds", async () => {
    const app = await startLiveApp();
    await app.deploy({ [asset]: "run()" });
    const before = app.roundTrips();
    advance(0);
    for (let index = 0; index < 5; index += 1) expect((await app.open(`/${asset}`)).status).toBe(200);
    expect(app.roundTrips() - before).toBe(1);
    advance(4999);
    await app.open(`/${asset}`);
    expect(app.roundTrips() - before).toBe(1);
    advance(1);
    await app.open(`/${asset}`);
    expect(app.roundTrips() - before).toBe(2);
  });

  it("reads D1 once for an unknown host in five seconds", async () => {
    const app = await startLiveApp();
    const before = app.roundTrips();
    advance(0);
    for (let index = 0; index < 5; index += 1) await app.open("https://unknown.example.net/");
    expect(app.roundTrips() - before).toBe(1);
    for (const host of [appDomain, "127.0.0.1", `a.b.${appDomain}`]) await app.open(`https://${host}/`);
    expect(app.roundTrips() - before).toBe(1);
  });

  it("sees another isolate's deployment after five seconds, and this isolate's at once", async () => {
    const app = await startLiveApp();
    advance(0);
    const first = await app.deploy({ "index.html": "one" });
    await app.deploy({ "index.html": "two" });
    expect((await app.open("/")).text).toBe("two");
    await updateRows(hosting_apps, { current_deployment_id: first.id }, eq(hosting_apps.id, app.app.id));
    expect((await app.open("/")).text).toBe("two");
    advance(5000);
    expect((await app.open("/")).text).toBe("one");
    await updateRows(hosting_apps, { current_deployment_id: null }, eq(hosting_apps.id, app.app.id));
    forgetLookups();
    expect((await app.open("/")).status).toBe(404);
  });

  it("stops serving a preview when it expires", async () => {
    const app = await startLiveApp();
    await app.deploy({ "index.html": "one" });
    await updateRows(hosting_apps, { expires_at: clock.now() + 1000 }, eq(hosting_apps.id, app.app.id));
    forgetLookups();
    expect((await app.open("/")).status).toBe(200);
    advance(1000);
    expect((await app.open("/")).status).toBe(404);
  });

  it("serves verified host names only", async () => {
    const app = await startLiveApp();
    await app.deploy({ "index.html": "one" });
    const hostname = `shop-${app.companyId}.example.net`;
    const id = crypto.randomUUID();
    await insertRow(hosting_domains, {
      hostname,
      app_id: app.app.id,
      id,
      company_id: app.companyId,
      token: "t",
      state: "pending",
      created_at: 1,
      updated_at: 1,
    });
    expect((await app.open(`https://${hostname}/`)).status).toBe(404);
    await updateRows(hosting_domains, { state: "verified" }, eq(hosting_domains.id, id));
    forgetLookups();
    expect((await app.open(`https://${hostname}/`)).text).toBe("one");
    expect((await app.open(`https://${hostname.toUpperCase()}./`)).text).toBe("one");
  });
});

describe("assets of earlier deployments", () => {
  it("serves them for 24 hours, from the latest deployment that has them", async () => {
    const app = await startLiveApp();
    await app.deploy({ "index.html": "1", [asset]: "first", "assets/only-1a2b3c4d.js": "only" });
    const { id } = await app.deploy({ "index.html": "2", [asset]: "second", "about.html": "about" });
    await updateRows(hosting_deployments, { finalized_at: 86_400_000 }, eq(hosting_deployments.id, id));
    await app.deploy({ "index.html": "3" });
    const response = await app.open(`/${asset}`);
    expect([response.status, response.text]).toEqual([200, "second"]);
    expect(response.headers.get("last-modified")).toBe("Fri, 02 Jan 1970 00:00:00 GMT");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await app.open("/assets/only-1a2b3c4d.js")).text).toBe("only");
    expect((await app.open("/about")).text).toBe("3");
    advance(24 * 3_600_000 + 10_000);
    expect((await app.open(`/${asset}`)).status).toBe(404);
  });

  it("looks in the last five deployments, and in none when the setting is 0", async () => {
    const app = await startLiveApp();
    for (let index = 0; index < 7; index += 1)
      await app.deploy({ [`old-${index}a2b3c4d.js`]: "old", "index.html": "x" });
    const statuses = await Promise.all(
      [0, 1, 5, 6].map(async (index) => (await app.open(`/old-${index}a2b3c4d.js`)).status),
    );
    expect(statuses).toEqual([404, 200, 200, 200]);
    forgetLookups();
    expect((await app.open("/old-5a2b3c4d.js", { bindings: { HOSTING_SKEW_HOURS: "0" } })).status).toBe(404);
  });

  it("does not serve assets of drafts and failed deployments", async () => {
    const app = await startLiveApp();
    await app.deploy({ "index.html": "x" });
    await app.deploy({ "draft-1a2b3c4d.js": "draft" }, { status: "draft" });
    await app.deploy({ "failed-1a2b3c4d.js": "failed" }, { status: "failed" });
    expect((await app.open("/draft-1a2b3c4d.js")).status).toBe(404);
    expect((await app.open("/failed-1a2b3c4d.js")).status).toBe(404);
  });
});

describe("framing", () => {
  it("asks identity once a minute and keeps the last known origins", async () => {
    const app = await startLiveApp();
    const origins = app.identity.originsOf(app.companyId);
    origins.add("https://one.example.com");
    await app.deploy({ "index.html": "x" });
    const policy = async () => (await app.open("/")).headers.get("content-security-policy");
    advance(0);
    expect(await policy()).toBe("frame-ancestors 'self' https://one.example.com");
    origins.add("https://two.example.com");
    expect(await policy()).toBe("frame-ancestors 'self' https://one.example.com");
    app.setIdentityAway(true);
    advance(60_000);
    expect(await policy()).toBe("frame-ancestors 'self' https://one.example.com");
    app.setIdentityAway(false);
    advance(10_000);
    expect(await policy()).toBe("frame-ancestors 'self' https://one.example.com https://two.example.com");
  });
});

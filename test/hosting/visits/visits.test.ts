import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hosting_apps, hosting_deployments, hosting_visits } from "../../../db/hosting/schema";
import { forgetLookups } from "../../../workers/hosting/live/lookup";
import { services } from "../../../workers/hosting/services";
import { createVisit } from "../../../workers/hosting/visits/visit";
import { clock } from "../../../workers/kit/clock";
import { createLog } from "../../../workers/kit/log";
import { startHosting } from "../../support/hosting/hosting";
import { startLiveApp } from "../../support/hosting/live-app";
import { freshCompany } from "../../support/sibling/sibling";
import { countRows, deleteRows, insertRow, readRows, updateRows } from "../../support/webhooks/rows";

const userId = 7;

/** Moves the clock of the Workers forward. */
function advance(ms: number): void {
  const now = clock.now() + ms;
  clock.now = () => now;
}

/** Starts an app with a superseded and a live deployment. `visit` creates a visit link of a member. */
async function startVisits(vars: Parameters<typeof startLiveApp>[0] = {}) {
  const app = await startLiveApp(vars);
  const old = await app.deploy({ "index.html": "old", "assets/a-1a2b3c4d.js": "a" });
  await app.deploy({ "index.html": "new" });
  await app.token({ companyId: app.companyId, userId });
  const hosting = services(app.bindings, {
    requestId: "visit",
    log: createLog({ service: "hosting" }),
    waitUntil: (work) => createExecutionContext().waitUntil(work),
  });
  const scheme = vars.HOSTING_APP_SCHEME ?? "https";
  const base = `${scheme}://${old.host}`;
  const visit = async (deploymentId = old.id) => {
    const token = await createVisit(hosting, { deployment_id: deploymentId, company_id: app.companyId }, userId);
    return `${base}/.platform/visit?token=${token}`;
  };
  const enter = async () => {
    const response = await app.open(await visit());
    return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  };
  return { ...app, old, base, visit, enter };
}

describe("visits", () => {
  it("opens a deployment with a link that works once", async () => {
    const { open, visit, base } = await startVisits();
    const link = await visit();
    const response = await open(link);
    expect([response.status, response.headers.get("location"), response.headers.get("cache-control")]).toEqual([
      303,
      "/",
      "no-store",
    ]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-visit=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/);
    const page = await open(`${base}/`, { headers: { cookie: `a=b; ${cookie.split(";")[0]}` } });
    expect([page.status, page.text]).toEqual([200, "old"]);
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("cache-control")).toBe("private, max-age=0, must-revalidate");
    const asset = await open(`${base}/assets/a-1a2b3c4d.js`, { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(asset.headers.get("cache-control")).toBe("private, max-age=0, must-revalidate");
    expect((await open(link)).status).toBe(401);
  });

  it("uses a cookie without a prefix over http in development", async () => {
    const { open, visit } = await startVisits({ HOSTING_APP_SCHEME: "http", DEBUG: "true" });
    expect((await open(await visit())).headers.get("set-cookie")).toMatch(
      /^visit=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
  });

  it("asks visitors without a visit to sign in", async () => {
    const { open, base, old } = await startVisits();
    for (const cookie of ["", "__Host-visit=", `__Host-visit=${"a".repeat(43)}`, `visit=${"a".repeat(43)}`]) {
      for (const path of ["/", "/assets/a-1a2b3c4d.js", "/missing.js", "/_headers"]) {
        const response = await open(base + path, { headers: { cookie } });
        expect([path, response.status]).toEqual([path, 401]);
        expect(response.text).toContain("Only members can open this deployment");
        expect(response.text).toContain(`platform open ${new URL(base).hostname.split(/--|\./)[1]}`);
        expect(response.text).not.toContain(old.id);
      }
    }
  });

  it.each(["", "?token=", "?token=short", `?token=${"a".repeat(43)}`, "?token=%00", `?token=${"a".repeat(5000)}`])(
    "rejects the link %s",
    async (query) => {
      const { open, base } = await startVisits();
      const response = await open(`${base}/.platform/visit${query}`);
      expect([response.status, response.headers.has("set-cookie")]).toEqual([401, false]);
      expect(response.text).toContain("This link no longer works");
    },
  );

  it("does not use up a link with HEAD", async () => {
    const { open, visit } = await startVisits();
    const link = await visit();
    expect((await open(link, { method: "HEAD" })).status).toBe(401);
    expect((await open(link)).status).toBe(303);
  });

  it("ends links after ten minutes and visits after an hour", async () => {
    const { open, visit, enter, base } = await startVisits();
    const link = await visit();
    const cookie = await enter();
    advance(10 * 60_000);
    expect((await open(link)).status).toBe(401);
    expect((await open(`${base}/`, { headers: { cookie } })).status).toBe(200);
    advance(50 * 60_000);
    expect((await open(`${base}/`, { headers: { cookie } })).status).toBe(401);
  });

  it("ends when the member is removed, within five seconds", async () => {
    const { open, enter, base, removeMember, companyId } = await startVisits();
    advance(0);
    const cookie = await enter();
    expect((await open(`${base}/`, { headers: { cookie } })).status).toBe(200);
    removeMember(companyId, userId);
    advance(5000);
    expect((await open(`${base}/`, { headers: { cookie } })).status).toBe(401);
  });

  it("ends when the deployment or the app is deleted", async () => {
    const { open, enter, base, old, app } = await startVisits();
    const headers = { cookie: await enter() };
    expect((await open(`${base}/`, { headers })).status).toBe(200);
    await deleteRows(hosting_deployments, eq(hosting_deployments.id, old.id));
    forgetLookups();
    expect((await open(`${base}/`, { headers })).status).toBe(404);
    await deleteRows(hosting_apps, eq(hosting_apps.id, app.id));
    forgetLookups();
    expect((await open("/", { headers })).status).toBe(404);
  });

  it("does not open another deployment", async () => {
    const { open, enter, visit, deploy } = await startVisits();
    const other = await deploy({ "index.html": "other" });
    const cookie = await enter();
    expect((await open(`https://${other.host}/`, { headers: { cookie } })).status).toBe(401);
    const link = new URL(await visit());
    link.host = other.host;
    expect((await open(link.href)).status).toBe(401);
  });

  it("responds 503 when identity does not respond", async () => {
    const { open, enter, base, setIdentityAway } = await startVisits();
    const cookie = await enter();
    setIdentityAway(true);
    expect((await open(`${base}/`, { headers: { cookie } })).status).toBe(503);
  });

  it("checks a visit with D1 and identity once in five seconds", async () => {
    const { open, enter, base, roundTrips } = await startVisits();
    const headers = { cookie: await enter() };
    advance(0);
    await open(`${base}/`, { headers });
    const before = roundTrips();
    for (let index = 0; index < 5; index += 1) expect((await open(`${base}/`, { headers })).status).toBe(200);
    expect(roundTrips()).toBe(before);
  });

  it("has no address before the files of a deployment are stored", async () => {
    const { open, deploy } = await startVisits();
    for (const status of ["draft", "failed"] as const) {
      const { host } = await deploy({ "index.html": "x" }, { status });
      expect((await open(`https://${host}/`)).status).toBe(404);
    }
  });

  it("is not needed when the deployments of the app are public", async () => {
    const { open, base, app } = await startVisits();
    await updateRows(hosting_apps, { public_deployments: true }, eq(hosting_apps.id, app.id));
    forgetLookups();
    const page = await open(`${base}/`);
    expect([page.status, page.text, page.headers.get("x-robots-tag")]).toEqual([200, "old", "noindex"]);
    expect(page.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  });

  it("removes expired visits when a new one is created", async () => {
    const { visit, companyId } = await startVisits();
    await insertRow(hosting_visits, {
      token_hash: crypto.randomUUID(),
      deployment_id: "x",
      company_id: companyId,
      user_id: userId,
      expires_at: 1,
    });
    await visit();
    expect(await countRows(hosting_visits, eq(hosting_visits.company_id, companyId))).toBe(1);
  });

  it("is removed by the purge run when it has expired", async () => {
    const [companyId, now] = [freshCompany(), Date.now()];
    const row = { deployment_id: "x", company_id: companyId, user_id: userId };
    const [ended, open] = [crypto.randomUUID(), crypto.randomUUID()];
    await insertRow(hosting_visits, { ...row, token_hash: ended, expires_at: now - 60_000 });
    await insertRow(hosting_visits, { ...row, token_hash: open, expires_at: now + 60_000 });
    await (await startHosting()).runCron("17 * * * *");
    const left = await readRows(hosting_visits, eq(hosting_visits.company_id, companyId));
    expect(left.map(({ token_hash }) => token_hash)).toEqual([open]);
  });
});

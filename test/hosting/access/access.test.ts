import { describe, expect, it } from "vitest";
import { startApps } from "../../support/hosting/apps";
import { eventsOf } from "../../support/hosting/events";
import { readError } from "../../support/sibling/sibling";

const start = (vars = {}) => startApps(vars, { isApproved: false });
type Apps = Awaited<ReturnType<typeof start>>;

const read = async ({ call, owner }: Apps) => (await call("access", { bearer: owner })).json();
const decide = ({ send, staff, companyId }: Apps, status: string, notes?: string) =>
  send("access", { company_id: companyId, status, ...(notes === undefined ? {} : { notes }) }, 200, { bearer: staff });

describe("permission to host apps", () => {
  it("starts with `none`, and becomes pending and approved", async () => {
    const apps = await start();
    const { companyId, memberId, staffId } = apps;
    const none = {
      company_id: companyId,
      status: "none",
      requested_at: null,
      requested_by_id: null,
      reviewed_at: null,
    };
    expect(await read(apps)).toEqual({ ...none, reviewed_by_id: null, notes: "" });
    const requested = await apps.send("access/request", {}, 201);
    expect(requested).toMatchObject({ status: "pending", requested_by_id: memberId, requested_at: expect.any(String) });
    expect(await decide(apps, "approved", "Signed")).toMatchObject({
      status: "approved",
      reviewed_by_id: staffId,
      requested_by_id: memberId,
      notes: "Signed",
    });
    expect(await read(apps)).toMatchObject({ status: "approved", notes: "Signed" });
    const changes = (await eventsOf(companyId)).map(({ type, data }) => [type, data.previous_status, data.status]);
    expect(changes).toEqual([["hosting.access.changed", "pending", "approved"]]);
  });

  it("keeps an approval when a member asks again, and makes a denial pending", async () => {
    const apps = await start();
    await decide(apps, "approved", "Signed");
    expect(await apps.send("access/request", {}, 201)).toMatchObject({ status: "approved", notes: "Signed" });
    await decide(apps, "denied");
    expect(await apps.send("access/request", {}, 201)).toMatchObject({
      status: "pending",
      requested_by_id: apps.memberId,
    });
    expect(await apps.send("access/request", {}, 201, { bearer: apps.owner })).toMatchObject({
      requested_by_id: apps.memberId,
    });
  });

  it("writes no event for a decision that does not change the status", async () => {
    const apps = await start();
    await decide(apps, "approved");
    expect(await decide(apps, "approved", "Renewed")).toMatchObject({ notes: "Renewed" });
    expect(await eventsOf(apps.companyId)).toHaveLength(1);
  });

  it("lets only staff decide", async () => {
    const apps = await start();
    for (const bearer of [apps.member, apps.owner]) {
      const json = { company_id: apps.companyId, status: "approved" };
      expect(await readError(await apps.call("access", { bearer, json }))).toEqual([403, "forbidden"]);
    }
    expect(await readError(await apps.call("access"))).toEqual([403, "forbidden"]);
    expect(await read(apps)).toMatchObject({ status: "none" });
  });

  it("limits requests per user", async () => {
    const apps = await start({ HOSTING_ACCESS_RATE_LIMIT: "2/5min" });
    await apps.send("access/request", {}, 201);
    await apps.send("access/request", {}, 201);
    expect(await readError(await apps.call("access/request", { json: {} }))).toEqual([429, "rate_limited"]);
  });
});

describe("a company without permission", () => {
  it.each(["none", "pending", "denied"])("gets 403 for every change with the status %s", async (status) => {
    const apps = await startApps();
    const { name } = await apps.createApp();
    const live = await apps.deploy(name, { "index.html": "one" });
    const { created } = await apps.createDeployment(name, { "index.html": "two" });
    const fresh = status === "none" ? await start() : apps;
    if (status !== "none") await decide(apps, "denied");
    if (status === "pending") await apps.send("access/request", {}, 201);
    const deployment = `apps/${name}/deployments/${created.id}`;
    const changes: [string, string, object?][] = [
      ["POST", "apps", { name: "other", display_name: "Other" }],
      ["PATCH", `apps/${name}`, { display_name: "Other" }],
      ["DELETE", `apps/${name}`],
      ["POST", `apps/${name}/renew-expiry`],
      ["POST", `apps/${name}/deployments`, { app_version: "1.0.0" }],
      ["PUT", `apps/${name}/blobs/${created.missing[0]}`],
      ["POST", `${deployment}/finalize`],
      ["POST", `${deployment}/rollback`],
      ["DELETE", deployment],
      ["POST", "preview", { app_version: "1.0.0" }],
    ];
    const answers = [];
    for (const [method, path, json] of changes) {
      const body = json === undefined ? {} : { json };
      answers.push(await readError(await fresh.call(path, { method, ...body })));
    }
    expect(new Set(answers.map(String))).toEqual(new Set(["403,hosting_access_denied"]));
    expect(await (await apps.call(`apps/${name}`)).json()).toMatchObject({ current_deployment_id: live.id });
  });

  it("may change apps with HOSTING_DEBUG_OPEN, but only with DEBUG", async () => {
    const apps = await start({ HOSTING_DEBUG_OPEN: "true" });
    await apps.createApp();
    const json = { name: "other", display_name: "Other" };
    const strict = { DEBUG: "false", HOSTING_APP_DOMAIN: "apps.example.com" };
    const response = await apps.call("apps", { json, bindings: { ...apps.hosting.bindings, ...strict } });
    expect(await readError(response)).toEqual([403, "hosting_access_denied"]);
  });
});

it("returns 503 for apps without a domain", async () => {
  const apps = await startApps({ HOSTING_APP_DOMAIN: "none" });
  for (const init of [{}, { json: { name: "app-1", display_name: "One" } }]) {
    expect(await readError(await apps.call("apps", init))).toEqual([503, "hosting_not_configured"]);
  }
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hosting_origins } from "../../../db/hosting/schema";
import type { PublicApp } from "../../../schemas/hosting/app";
import { startApps } from "../../support/hosting/apps";
import { eventsOf } from "../../support/hosting/events";
import { readError } from "../../support/sibling/sibling";
import { readRows } from "../../support/webhooks/rows";

describe("a new app", () => {
  it("has a random slug and no address before it is live", async () => {
    const apps = await startApps();
    const app = await apps.createApp({ name: "field-notes", display_name: "Field Notes" });
    expect(app).toEqual({
      id: expect.any(String),
      name: "field-notes",
      slug: expect.stringMatching(/^[a-z][a-z0-9]{11}$/),
      company_id: apps.companyId,
      display_name: "Field Notes",
      public_deployments: false,
      expires_at: null,
      current_deployment_id: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { id: app_id, name, slug, display_name, company_id } = app;
    const data = { app_id, name, slug, display_name, company_id };
    expect(await eventsOf(apps.companyId)).toMatchObject([{ type: "hosting.app.created", data }]);
    for (const key of [app.id, app.name, app.slug]) expect(await (await apps.call(`apps/${key}`)).json()).toEqual(app);
  });

  it.each([
    ["name", "ab", "invalid"],
    ["name", "a".repeat(64), "invalid"],
    ["name", "1abc", "invalid"],
    ["name", "Field", "invalid"],
    ["name", "a_b", "invalid"],
    ["name", "deployments", "reserved"],
    ["name", "api", "reserved"],
    ["name", undefined, "required"],
    ["display_name", "", "blank"],
    ["display_name", "evil.example", "invalid"],
    ["display_name", "a‮b", "invalid"],
    ["display_name", "a".repeat(101), "too_long"],
  ])("is rejected with the %s %j", async (field, value, code) => {
    const apps = await startApps();
    const response = await apps.call("apps", { json: { name: "field-notes", display_name: "Field", [field]: value } });
    expect([response.status, await response.json()]).toMatchObject([400, { field_errors: { [field]: [code] } }]);
    expect(await eventsOf(apps.companyId)).toEqual([]);
  });

  it("is rejected when the company has an app with the name; other companies may use it", async () => {
    const [apps, others] = [await startApps(), await startApps()];
    await apps.createApp({ name: "field-notes" });
    const json = { name: "field-notes", display_name: "Again" };
    expect(await readError(await apps.call("apps", { json }))).toEqual([409, "app_name_taken"]);
    expect(await others.createApp({ name: "field-notes" })).toMatchObject({ name: "field-notes" });
  });

  it("changes no redirect allowlist when it is rejected", async () => {
    const apps = await startApps({ HOSTING_MAX_APPS_PER_COMPANY: "1" });
    const app = await apps.createApp({ name: "field-notes" });
    for (const path of ["apps", "preview"]) {
      const json = { name: "other", display_name: "Other", app_version: "1.0.0" };
      expect(await readError(await apps.call(path, { json }))).toEqual([403, "app_quota_exceeded"]);
    }
    const json = { name: "field-notes", display_name: "Again" };
    expect((await apps.call("apps", { json })).status).not.toBe(201);
    const { companyId, hosting } = apps;
    const sent = hosting.identity.redirectChanges.filter(({ company_id }) => company_id === companyId);
    expect(sent).toMatchObject([{ base_url: `http://${app.slug}.localhost`, is_wanted: true }]);
    expect(await readRows(hosting_origins, eq(hosting_origins.company_id, companyId))).toEqual([]);
  });

  it("never exceeds the number of apps, also with 50 parallel requests", async () => {
    const apps = await startApps();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => apps.call("apps", { json: { name: `app-${i}`, display_name: `App ${i}` } })),
    );
    const answers = await Promise.all(responses.map(readError));
    expect(answers.filter(([status]) => status === 201)).toHaveLength(5);
    expect(new Set(answers.filter(([status]) => status !== 201).map(String))).toEqual(
      new Set(["403,app_quota_exceeded"]),
    );
    expect(await eventsOf(apps.companyId)).toHaveLength(5);
    expect(await (await apps.call("apps")).json()).toMatchObject({ count: 5 });
  });

  it("fits again after another was deleted", async () => {
    const apps = await startApps({ HOSTING_MAX_APPS_PER_COMPANY: "1" });
    const { id } = await apps.createApp();
    expect((await apps.call("apps", { json: { name: "other", display_name: "Other" } })).status).toBe(403);
    expect((await apps.call(`apps/${id}`, { method: "DELETE" })).status).toBe(204);
    await apps.createApp({ name: "other" });
  });
});

describe("the apps of a company", () => {
  it("are listed newest first, by page and by cursor", async () => {
    const apps = await startApps({ HOSTING_MAX_APPS_PER_COMPANY: "100" });
    const created: string[] = [];
    for (let i = 0; i < 7; i++) created.unshift((await apps.createApp()).id);
    type AppPage = { results: PublicApp[]; next_cursor: string | null };
    const page = async (search: string) => (await (await apps.call(`apps?${search}`)).json()) as AppPage;
    const idsOf = ({ results }: AppPage) => results.map(({ id }) => id);
    const first = await page("page_size=3");
    expect(first).toMatchObject({ count: 7, page: 1, page_size: 3 });
    expect(idsOf(first)).toEqual(created.slice(0, 3));
    expect(idsOf(await page("page_size=3&page=3"))).toEqual(created.slice(6));
    const second = await page(`page_size=3&cursor=${first.next_cursor}`);
    expect(idsOf(second)).toEqual(created.slice(3, 6));
    const last = await page(`page_size=3&cursor=${second.next_cursor}`);
    expect([idsOf(last), last.next_cursor]).toEqual([created.slice(6), null]);
  });

  it("are invisible to other companies, by id, name and slug", async () => {
    const [apps, others] = [await startApps(), await startApps()];
    const app = await apps.createApp();
    for (const key of [app.id, app.name, app.slug]) {
      expect(await readError(await others.call(`apps/${key}`))).toEqual([404, "not_found"]);
      expect(await readError(await others.call(`apps/${key}`, { method: "DELETE" }))).toEqual([404, "not_found"]);
    }
    expect(await (await others.call("apps")).json()).toMatchObject({ count: 0, results: [] });
  });

  it("find an app by its id before one whose name is that id", async () => {
    const apps = await startApps();
    const first = await apps.createApp({ name: "first" });
    const second = await apps.createApp({ name: first.slug });
    expect(await (await apps.call(`apps/${first.slug}`)).json()).toMatchObject({ id: second.id });
    expect(await (await apps.call(`apps/${first.id}`)).json()).toMatchObject({ id: first.id });
  });
});

describe("a change of an app", () => {
  it("keeps omitted fields", async () => {
    const apps = await startApps();
    const { id } = await apps.createApp();
    const patch = (json: object) => apps.send<PublicApp>(`apps/${id}`, { ...json }, 200, { method: "PATCH" });
    expect(await patch({ public_deployments: true })).toMatchObject({ display_name: "Field Notes" });
    expect(await patch({ display_name: "Notes" })).toMatchObject({ display_name: "Notes", public_deployments: true });
    expect(await (await apps.call(`apps/${id}`)).json()).toMatchObject({
      display_name: "Notes",
      public_deployments: true,
    });
  });
});

describe("a deleted app", () => {
  it("is gone with its deployments, and writes one event", async () => {
    const apps = await startApps();
    const app = await apps.createApp();
    const { id } = await apps.deploy(app.name, { "index.html": "one" });
    expect((await apps.call(`apps/${app.name}`, { method: "DELETE" })).status).toBe(204);
    expect((await apps.call(`apps/${app.name}`, { method: "DELETE" })).status).toBe(404);
    expect((await apps.call(`apps/${app.id}/deployments/${id}`)).status).toBe(404);
    const events = await eventsOf(apps.companyId);
    expect(events.filter(({ type }) => type === "hosting.app.deleted")).toMatchObject([{ data: { app_id: app.id } }]);
    const again = await apps.createApp({ name: app.name });
    expect(again.slug).not.toBe(app.slug);
  });

  it("is deleted at most at the rate of the setting", async () => {
    const apps = await startApps({ HOSTING_DELETE_RATE_LIMIT: "1/min" });
    const [one, two] = [await apps.createApp(), await apps.createApp()];
    expect((await apps.call(`apps/${one.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await readError(await apps.call(`apps/${two.id}`, { method: "DELETE" }))).toEqual([429, "rate_limited"]);
  });
});

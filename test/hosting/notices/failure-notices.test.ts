import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { hosting_deployments } from "../../../db/hosting/schema";
import { createServices } from "../../support/hosting/steps";
import { startArchives } from "../../support/hosting/uploads";
import { readRows } from "../../support/webhooks/rows";

/** Starts hosting with an app, and a function that uploads and finalizes an archive that cannot be read. */
async function setUp() {
  const archives = await startArchives();
  const built = createServices(archives.hosting.bindings).services;
  const app = await archives.createApp({ display_name: "Field Notes" });
  const draft = () => archives.send<{ id: string }>(`apps/${app.id}/deployments`, { app_version: "1.4.0" }, 201);
  const fail = async (id: string) => {
    await archives.upload(app.id, id, "no archive");
    await archives.finalize(app.id, id);
    await archives.importAll(id, built);
  };
  const row = async (id: string) => (await readRows(hosting_deployments, eq(hosting_deployments.id, id)))[0];
  const noticesOf = (id: string) =>
    archives.hosting.identity.deploymentNotices.filter(({ deployment_id }) => deployment_id === id);
  return { ...archives, draft, fail, row, noticesOf };
}

it("notifies identity once of each failure of a deployment", async () => {
  const { companyId, draft, fail, hosting, noticesOf, row } = await setUp();
  const { id } = await draft();
  await fail(id);
  await expect.poll(async () => (await row(id))?.notice_at).toBe(null);
  expect(noticesOf(id)).toEqual([
    {
      company_id: companyId,
      app_id: expect.any(String),
      deployment_id: id,
      user_id: expect.any(Number),
      display_name: "Field Notes",
      app_version: "1.4.0",
      error: "artifact_extract_failed",
      notice_at: expect.any(Number),
    },
  ]);
  await hosting.runCron("* * * * *");
  expect(noticesOf(id)).toHaveLength(1);
  await fail(id);
  await expect.poll(() => noticesOf(id).length).toBe(2);
  expect(noticesOf(id)[1]?.notice_at).not.toBe(noticesOf(id)[0]?.notice_at);
});

it("keeps the notice while identity is away, and repeats it in the minute sweep", async () => {
  const { draft, fail, hosting, noticesOf, row } = await setUp();
  const { id } = await draft();
  hosting.identity.setUnavailable(true);
  await fail(id);
  await hosting.runCron("* * * * *");
  expect([await row(id), noticesOf(id)]).toMatchObject([{ status: "failed", notice_at: expect.any(Number) }, []]);
  hosting.identity.setUnavailable(false);
  await hosting.runCron("* * * * *");
  expect([await row(id), noticesOf(id)]).toMatchObject([{ notice_at: null }, [{ deployment_id: id }]]);
});

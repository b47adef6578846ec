import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { hosting_apps, hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import type { Manifest } from "../../../schemas/hosting/manifest";
import { blobKey, manifestKey } from "../../../workers/hosting/files/keys";
import { HOUR_MS } from "../../../workers/kit/time";
import { readRows } from "../webhooks/rows";
import { keysOfCompany } from "./files";
import { testEnv } from "./hosting";
import { createServices, runCleanUps, setClock } from "./steps";

type Row = typeof hosting_deployments.$inferSelect;

const deploymentsOf = (companyId: number) =>
  readRows(hosting_deployments, eq(hosting_deployments.company_id, companyId));

/** Returns the manifest of a deployment. Throws if there is none. */
async function manifestOf({ company_id, id }: Row): Promise<Manifest> {
  const object = await testEnv.FILES.get(manifestKey(company_id, id));
  if (object === null) throw new Error(`no manifest of ${id}`);
  return object.json<Manifest>();
}

/**
 * Expects that every app has at most one live deployment, which it points at, and that every file of a deployment that is or was live
 * is stored.
 */
export async function expectComplete(companyId: number): Promise<void> {
  const apps = await readRows(hosting_apps, eq(hosting_apps.company_id, companyId));
  const deployments = await deploymentsOf(companyId);
  const active = deployments.filter(({ status }) => status === "active");
  expect(active.map(({ id }) => id).sort()).toEqual(
    apps.flatMap(({ current_deployment_id }) => current_deployment_id ?? []).sort(),
  );
  const blobs = await readRows(hosting_blobs, eq(hosting_blobs.company_id, companyId));
  const stored = new Set(
    blobs.filter(({ stored_at, removed_at }) => stored_at !== null && removed_at === null).map(({ sha256 }) => sha256),
  );
  const keys = new Set(await keysOfCompany(companyId));
  for (const row of deployments.filter(({ status }) => status === "active" || status === "superseded")) {
    for (const { sha256 } of Object.values((await manifestOf(row)).files)) {
      expect([stored.has(sha256), keys.has(blobKey(companyId, sha256))]).toEqual([true, true]);
    }
  }
}

/**
 * Lets two days pass, runs the clean-ups that are requested, and expects that nothing is left which no deployment needs, and nothing is
 * missing.
 */
export async function expectCleanedUp(companyId: number, from: number): Promise<void> {
  for (const hours of [3, 30, 60]) {
    setClock(from + hours * HOUR_MS);
    await runCleanUps(companyId, createServices().services);
  }
  await expectComplete(companyId);
  const deployments = await deploymentsOf(companyId);
  const named = new Set<string>();
  const expected: string[] = [];
  for (const row of deployments) {
    expect(["active", "superseded", "ready", "failed"]).toContain(row.status);
    if (row.status === "ready") expected.push(`artifacts/${companyId}/${row.id}`);
    if (row.status !== "active" && row.status !== "superseded") continue;
    expected.push(manifestKey(companyId, row.id));
    for (const { sha256 } of Object.values((await manifestOf(row)).files)) named.add(sha256);
  }
  const blobs = await readRows(hosting_blobs, eq(hosting_blobs.company_id, companyId));
  expect(blobs.map(({ sha256 }) => sha256).sort()).toEqual([...named].sort());
  expect(await keysOfCompany(companyId)).toEqual(
    [...expected, ...[...named].map((sha256) => blobKey(companyId, sha256))].sort(),
  );
}

/** Returns the content of `index.html` of the live deployment of an app, or null without one. */
export async function readLive(appId: string): Promise<string | null> {
  const [app] = await readRows(hosting_apps, eq(hosting_apps.id, appId));
  if (app?.current_deployment_id == null) return null;
  const [row] = await readRows(hosting_deployments, eq(hosting_deployments.id, app.current_deployment_id));
  if (row === undefined) throw new Error("the live deployment is missing");
  const file = (await manifestOf(row)).files["index.html"];
  return (await (await testEnv.FILES.get(blobKey(row.company_id, file?.sha256 ?? "")))?.text()) ?? null;
}

import { expect, it } from "vitest";
import { hosting, startHosting } from "../support/hosting/hosting";
import { storeAccess, storeApp, storeDeployment, storeDomain } from "../support/hosting/rows";
import { checkMetrics } from "../support/sibling/metrics-suite";
import { freshCompany } from "../support/sibling/sibling";

await checkMetrics(hosting, ["retry_webhooks", "purge_expired_data"]);

const DAY_MS = 86_400_000;
const worker = await startHosting();

/** Returns the gauges of a company without `platform_hosting_`, from one or from all companies. */
async function gaugesOf(companyId: number, path: string, user: Parameters<typeof worker.token>[0]) {
  const before = worker.roundTrips();
  const text = await (await worker.call(path, { bearer: await worker.token(user) })).text();
  expect(worker.roundTrips() - before).toBeLessThanOrEqual(2);
  const line = new RegExp(
    `^platform_hosting_((?:apps|access|deployments|active|artifact|domains)\\w*)\\{company_id="${companyId}"\\} (\\d+)$`,
    "gm",
  );
  return Object.fromEntries([...text.matchAll(line)].map(([, name, value]) => [name, Number(value)]));
}

it("counts apps, deployments, access and domains of a company, alone and among all companies", async () => {
  const [companyId, other] = [freshCompany(), freshCompany()];
  const now = Date.now();
  const app = await storeApp({ company_id: companyId });
  await storeApp({ company_id: companyId, expires_at: now - 1 });
  await storeApp({ company_id: companyId, expires_at: now + DAY_MS });
  await storeApp({ company_id: other });
  await storeDeployment(app, { status: "active", artifact_size: 1000 });
  await storeDeployment(app, { status: "superseded", artifact_size: 500, created_at: now - 2 * DAY_MS });
  await storeDeployment(app, { status: "failed", created_at: now - 8 * DAY_MS });
  await storeDeployment(app, { created_at: now - 40 * DAY_MS });
  await storeDomain(app, { hostname: `a.${crypto.randomUUID()}.example`, state: "verified" });
  await storeDomain(app, { hostname: `b.${crypto.randomUUID()}.example`, state: "failed" });
  await storeDomain(app, { hostname: `c.${crypto.randomUUID()}.example` });
  await storeAccess(companyId, "approved");
  const expected = {
    apps_total: 3,
    apps_expired: 1,
    deployments_total: 4,
    active_deployments: 1,
    artifact_bytes: 1500,
    deployments_24h: 1,
    deployments_7d: 2,
    deployments_30d: 3,
    access_pending: 0,
    access_approved: 1,
    access_denied: 0,
    domains_verified: 1,
    domains_failed: 1,
  };
  expect(await gaugesOf(companyId, "/hosting/v1/metrics", { companyId, isOwner: true })).toEqual(expected);
  expect(await gaugesOf(other, "/hosting/v1/metrics", { companyId, isOwner: true })).toEqual({});
  expect(await gaugesOf(companyId, "/hosting/v1/metrics/all", { isStaff: true })).toEqual(expected);
  expect(await gaugesOf(other, "/hosting/v1/metrics/all", { isStaff: true })).toMatchObject({ apps_total: 1 });
});

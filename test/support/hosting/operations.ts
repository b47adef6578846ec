import type { Facts } from "../http/route-calls";
import type { Companies } from "../sibling/routes-suite";
import { approve, hashOf, openApps } from "./apps";
import { freshHostname } from "./domains";
import { storeDomain } from "./rows";

/** Variables of the route checks, whose requests would exceed the limits. */
export const unlimited = {
  HOSTING_MAX_APPS_PER_COMPANY: "1000",
  HOSTING_DEPLOY_RATE_LIMIT: "1000000/min",
  HOSTING_UPLOAD_RATE_LIMIT: "1000000/min",
  HOSTING_DELETE_RATE_LIMIT: "1000000/min",
  HOSTING_ACCESS_RATE_LIMIT: "1000000/min",
};

const blobBytes = new TextEncoder().encode("route check");

/** Returns the facts about apps and deployments for the route check. */
export async function hostingFacts({ company, foreignCompany }: Companies): Promise<Record<string, Facts>> {
  const tenant = await tenantOf(company);
  const foreign = await tenantOf(foreignCompany);
  const member = { role: "member" } as const;
  const app = { ...member, companyRow: tenant.newApp, foreign: foreign.newApp } as const;
  const deployment = { ...member, companyRow: tenant.newDraft, foreign: foreign.newDraft } as const;
  const domain = { ...member, companyRow: tenant.newDomain, foreign: foreign.newDomain } as const;
  const body = () => ({ app_version: "1.0.0", message: "Route check" });
  return {
    "get /hosting/v1/access": { role: "owner" },
    "post /hosting/v1/access/request": { ...member, body: () => ({}) },
    "post /hosting/v1/access": {
      role: "staff",
      body: () => ({ company_id: company, status: "approved", notes: "Route check" }),
      foreignCompany: "403 forbidden",
    },
    "get /hosting/v1/apps": member,
    "post /hosting/v1/apps": { ...member, body: () => ({ name: tenant.newName(), display_name: "Route check" }) },
    "get /hosting/v1/apps/{app}": app,
    "patch /hosting/v1/apps/{app}": { ...app, body: () => ({ display_name: "Route check" }) },
    "delete /hosting/v1/apps/{app}": app,
    "post /hosting/v1/apps/{app}/renew-expiry": {
      ...member,
      companyRow: tenant.newPreview,
      foreign: foreign.newPreview,
    },
    "get /hosting/v1/apps/{app}/deployments": app,
    "post /hosting/v1/apps/{app}/deployments": { ...app, body, maxBytes: 12 * 1024 * 1024 },
    "get /hosting/v1/apps/{app}/deployments/{id}": deployment,
    "delete /hosting/v1/apps/{app}/deployments/{id}": deployment,
    "put /hosting/v1/apps/{app}/deployments/{id}/upload": {
      ...member,
      companyRow: tenant.newEmptyDraft,
      foreign: foreign.newEmptyDraft,
      bytes: blobBytes,
    },
    "post /hosting/v1/apps/{app}/deployments/{id}/finalize": {
      ...deployment,
      companyRow: tenant.newUploaded,
    },
    "post /hosting/v1/apps/{app}/deployments/{id}/rollback": {
      ...deployment,
      companyRow: tenant.newSuperseded,
    },
    "post /hosting/v1/apps/{app}/deployments/{id}/visit": {
      ...deployment,
      companyRow: tenant.newSuperseded,
    },
    "get /hosting/v1/apps/{app}/deployments/{a}/diff/{b}": {
      ...member,
      companyRow: () => tenant.twoLive(),
      foreign: () => foreign.twoLive(),
    },
    "put /hosting/v1/apps/{app}/blobs/{sha256}": {
      ...member,
      companyRow: async () => ({ app: await tenant.newApp(), sha256: await tenant.declare(blobBytes) }),
      foreign: async () => ({ app: await foreign.newApp(), sha256: await foreign.declare(blobBytes) }),
      bytes: blobBytes,
      headers: { "content-length": String(blobBytes.length) },
      unknown: { sha256: "404 blob_not_declared" },
      malformed: { sha256: "404 blob_not_declared" },
    },
    "get /hosting/v1/apps/{app}/domains": app,
    "post /hosting/v1/apps/{app}/domains": { ...app, body: () => ({ hostname: freshHostname() }) },
    "get /hosting/v1/apps/{app}/domains/{id}": domain,
    "delete /hosting/v1/apps/{app}/domains/{id}": domain,
    "post /hosting/v1/apps/{app}/domains/{id}/check": domain,
    "post /hosting/v1/preview": { ...member, body, maxBytes: 12 * 1024 * 1024 },
  };
}

/** Returns a company that may host apps, with functions that create rows for requests. */
async function tenantOf(companyId: number) {
  await approve(companyId);
  const apps = await openApps(companyId, unlimited);
  let last = 0;
  const newName = () => `route-${++last}-${crypto.randomUUID().slice(0, 8)}`;
  const newApp = async () => (await apps.createApp({ name: newName() })).id;
  const site = () => ({ "index.html": `version ${++last}` });
  const newDraft = async () => {
    const app = await newApp();
    return { app, id: (await apps.createDeployment(app, site())).created.id };
  };
  const newEmptyDraft = async () => {
    const app = await newApp();
    return { app, id: (await apps.send<{ id: string }>(`apps/${app}/deployments`, { app_version: "1.0.0" }, 201)).id };
  };
  /** Creates an app with two deployments that were live, the second of which is. */
  const twoLive = async () => {
    const app = await newApp();
    return { app, a: (await apps.deploy(app, site())).id, b: (await apps.deploy(app, site())).id };
  };
  const newDomain = async () => {
    const app = await newApp();
    return { app, id: (await storeDomain({ id: app, company_id: companyId }, { hostname: freshHostname() })).id };
  };
  return {
    newName,
    newApp,
    newDomain,
    newDraft,
    newEmptyDraft,
    twoLive,
    newPreview: async () => (await apps.send<{ slug: string }>("preview", { app_version: "1.0.0" }, 201)).slug,
    newUploaded: async () => {
      const app = await newApp();
      const { site: files, created } = await apps.createDeployment(app, site());
      await apps.uploadMissing(app, files, created.missing);
      return { app, id: created.id };
    },
    newSuperseded: async () => {
      const { app, a } = await twoLive();
      return { app, id: a };
    },
    /** Declares bytes as a file of the company and returns their hash. */
    declare: async (bytes: Uint8Array) => {
      await apps.createDeployment(await newApp(), { "file.txt": bytes });
      return hashOf(bytes);
    },
  };
}

import { hosting_access, hosting_apps, hosting_deployments, hosting_domains } from "../../../db/hosting/schema";
import { insertRow } from "../webhooks/rows";

type NewApp = typeof hosting_apps.$inferInsert;
type NewDeployment = typeof hosting_deployments.$inferInsert;

/** Returns a random slug: 12 characters, the first a letter. */
export const freshSlug = () => `a${crypto.randomUUID().replaceAll("-", "").slice(0, 11)}`;

/** Stores an app of the company. */
export const storeApp = (values: Partial<NewApp> & { company_id: number }) =>
  insertRow(hosting_apps, {
    id: crypto.randomUUID(),
    name: `app-${crypto.randomUUID().slice(0, 8)}`,
    slug: freshSlug(),
    display_name: "Field Notes",
    owner_id: 7,
    created_at: Date.now(),
    updated_at: Date.now(),
    ...values,
  });
/** Stores a deployment of an app, a draft unless the values say otherwise. */
export function storeDeployment(app: { id: string; company_id: number }, values: Partial<NewDeployment> = {}) {
  const id = crypto.randomUUID();
  return insertRow(hosting_deployments, {
    id,
    app_id: app.id,
    company_id: app.company_id,
    address: id.slice(0, 8),
    app_version: "1.0.0",
    shell_version: "1.0.0",
    status: "draft",
    pinned: false,
    message: "",
    not_found: "spa",
    deployed_by_id: 7,
    warnings: [],
    created_at: Date.now(),
    updated_at: Date.now(),
    ...values,
  });
}

/** Stores a domain of an app, pending unless the values say otherwise. */
export function storeDomain(
  app: { id: string; company_id: number },
  values: Partial<typeof hosting_domains.$inferInsert> & { hostname: string },
) {
  return insertRow(hosting_domains, {
    app_id: app.id,
    id: crypto.randomUUID(),
    company_id: app.company_id,
    token: crypto.randomUUID(),
    state: "pending",
    created_at: Date.now(),
    updated_at: Date.now(),
    ...values,
  });
}

/** Stores the decision whether a company may host apps. */
export const storeAccess = (company_id: number, status: "pending" | "approved" | "denied") =>
  insertRow(hosting_access, { company_id, status, notes: "" });

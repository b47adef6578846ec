import { hosting_apps } from "../../../db/hosting/schema";
import { insertRow } from "../webhooks/rows";

type NewApp = typeof hosting_apps.$inferInsert;

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

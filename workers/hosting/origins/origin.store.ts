import { eq, type SQL, sql } from "drizzle-orm";
import { hosting_apps, hosting_origins } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { insertSelect } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { newChange, pendingStatements, replaceChange } from "./pending-change.store";

const { attempts, change_id, company_id, due_at, is_wanted, label, origin } = hosting_origins;

/** Statements of the changes of redirect allowlists that identity has not confirmed yet. */
export const pendingOrigins = pendingStatements(
  hosting_origins,
  "hosting_origins_due",
  { origin, company_id },
  { label, is_wanted },
);

/** The ON CONFLICT clause of a statement that stores the change of an origin. */
export const replaceOrigin = replaceChange({ origin, company_id }, [label, is_wanted, change_id, attempts, due_at]);

/** Parameters of a statement that stores the change of an origin. */
export const originChange = { origin, companyId: company_id, label, changeId: change_id, now: integer };

/**
 * Returns the statement text that stores whether identity must list an origin, as `isWanted` decides at that point of the batch.
 * Stores nothing unless `condition` is true there.
 */
export const storeOrigin = (
  p: { origin: SQL; companyId: SQL; label: SQL; changeId: SQL<string>; now: SQL<number> },
  isWanted: SQL,
  condition: SQL = sql`true`,
): SQL =>
  insertSelect(
    hosting_origins,
    {
      origin: p.origin,
      company_id: p.companyId,
      label: p.label,
      is_wanted: isWanted,
      ...newChange(p.changeId, p.now),
    },
    sql`where ${condition} ${replaceOrigin}`,
  );

const hasApp = (slug: SQL): SQL => sql`exists (select 1 from ${hosting_apps} where ${eq(hosting_apps.slug, slug)})`;

/** Statement for the batch that creates an app: stores that identity must list its origin, if the app was inserted. */
export const storeNewOrigin = statement({ ...originChange, slug: hosting_apps.slug }, (p) =>
  storeOrigin(p, sql`true`, hasApp(p.slug)),
);

/**
 * Statement for the end of a batch that deploys or deletes an app: stores that identity must list the origin of the app
 * while the app exists, and must not list it afterwards. The rows at that point of the batch decide, so the statement is right
 * whether or not the statements before it changed anything.
 */
export const storeAppOrigin = statement({ ...originChange, slug: hosting_apps.slug }, (p) =>
  storeOrigin(p, hasApp(p.slug)),
);

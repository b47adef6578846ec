import { and, eq, type SQL, sql } from "drizzle-orm";
import { hosting_domains, hosting_hostnames, hosting_origins } from "../../../db/hosting/schema";
import { integer, text } from "../../kit/db/kind";
import { insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { originChange, replaceOrigin, storeOrigin } from "./origin.store";
import { newChange, pendingStatements, replaceChange } from "./pending-change.store";

const { attempts, change_id, due_at, hostname } = hosting_hostnames;

/** Statements of the host names whose registration may have to change. */
export const pendingHostnames = pendingStatements(hosting_hostnames, "hosting_hostnames_due", { hostname }, {});

const replaceHostname = replaceChange({ hostname }, [change_id, attempts, due_at]);
const isVerified = sql`${hosting_domains.state} = 'verified'`;
/** The id of a change in a statement that writes several. */
const randomChange = sql<string>`lower(hex(randomblob(16)))`;

/**
 * Statement for the end of a batch that changes the domain of a host: stores that identity must list the origin of the host while
 * the company has its verified domain, and must not list it afterwards. The rows at that point of the batch decide.
 */
export const storeHostOrigin = statement({ ...originChange, hostname }, (p) =>
  storeOrigin(
    p,
    sql`exists (select 1 from ${hosting_domains} where ${hosting_domains.hostname} = ${p.hostname}
      and ${isVerified} and ${hosting_domains.company_id} = ${p.companyId})`,
  ),
);

/** Statement for the batch that changes the domain of a host: stores that its registration may have to change. */
export const storeHostname = statement({ hostname, changeId: change_id, now: integer }, (p) =>
  insertSelect(
    hosting_hostnames,
    { hostname: p.hostname, ...newChange(p.changeId, p.now) },
    sql`where true ${replaceHostname}`,
  ),
);

const isVerifiedOf = (appId: SQL<string>) => and(eq(hosting_domains.app_id, appId), isVerified);

/**
 * Statement for the batch that deletes an app, before its domains are deleted: stores that identity must not list the origins of
 * its verified domains any more. `prefix` and `suffix` surround the host name in an origin.
 */
export const storeRemovedOrigins = statement(
  { appId: hosting_domains.app_id, prefix: text, suffix: text, now: integer },
  (p) =>
    insertSelect(
      hosting_origins,
      {
        origin: sql`${p.prefix} || ${hosting_domains.hostname} || ${p.suffix}`,
        company_id: hosting_domains.company_id,
        label: "",
        is_wanted: false,
        ...newChange(randomChange, p.now),
      },
      sql`from ${hosting_domains} where ${isVerifiedOf(p.appId)} ${replaceOrigin}`,
    ),
);

/** Statement like storeRemovedOrigins, for the registrations of the host names. */
export const storeRemovedHostnames = statement({ appId: hosting_domains.app_id, now: integer }, (p) =>
  insertSelect(
    hosting_hostnames,
    { hostname: hosting_domains.hostname, ...newChange(randomChange, p.now) },
    sql`from ${hosting_domains} where ${isVerifiedOf(p.appId)} ${replaceHostname}`,
  ),
);

/** Statement: delete the domains of an app. */
export const deleteAppDomains = statement(
  { appId: hosting_domains.app_id, companyId: hosting_domains.company_id },
  (p) =>
    queryBuilder
      .delete(hosting_domains)
      .where(and(eq(hosting_domains.app_id, p.appId), eq(hosting_domains.company_id, p.companyId))),
);

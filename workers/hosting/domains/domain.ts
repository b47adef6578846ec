import type { AppRow, DomainRow } from "../../../db/hosting/schema";
import { changeEntry } from "../../kit/audit/audit";
import { randomToken } from "../../kit/crypto/random";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { invalid } from "../../kit/problem";
import { MINUTE_MS } from "../../kit/time";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { forgetLookups } from "../live/lookup";
import { hostChange } from "../origins/host";
import { sendOrigins } from "../origins/origin";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { auditedDomain } from "./check";
import { deleteDomain, findDomainByName, insertDomain } from "./domain.store";
import { readHostname } from "./hostname";
import { sendHostname } from "./registration";

/**
 * Adds a custom domain to an app; it is pending until its TXT record proves it. Throws 400 for a host name that is not allowed,
 * 409 `domain_exists` and `domain_limit_reached`, and 404 when the app was deleted meanwhile.
 */
export async function addDomain(
  services: HostingServices,
  app: AppRow,
  caller: UserActor,
  input: { hostname: string },
): Promise<DomainRow> {
  const { clock, dbOf, settings } = services;
  const read = readHostname(input.hostname, settings);
  if ("problem" in read) throw invalid({ hostname: [read.problem] });
  const { hostname } = read;
  const now = clock.now();
  const id = uuid();
  const { id: appId, company_id: companyId } = app;
  const domain = { id, app_id: appId, company_id: companyId, hostname };
  const { stored } = await dbOf(companyId).batch({
    inserted: followedBy(
      insertDomain({
        ...{ appId, companyId, hostname, id, now },
        token: randomToken(24),
        nextCheckAt: now + MINUTE_MS,
        max: settings.domains.max,
      }),
      changeEntry(auditedDomain(domain, caller, "created", now)),
    ),
    stored: findDomainByName({ appId, hostname }),
  });
  if (stored.first === null) throw new Problem("domain_limit_reached");
  if (stored.first.id !== id) throw new Problem("domain_exists");
  return stored.first;
}

/** Deletes a domain, which is then no longer served. */
export async function removeDomain(services: HostingServices, caller: UserActor, domain: DomainRow): Promise<void> {
  const { id, company_id: companyId, hostname } = domain;
  const now = services.clock.now();
  const { statements, key } = hostChange(services, { ...domain, display_name: "" });
  await services.dbOf(companyId).batch({
    deleted: followedBy(deleteDomain({ id, companyId }), changeEntry(auditedDomain(domain, caller, "deleted", now))),
    statements,
  });
  forgetLookups();
  sendOrigins(services, companyId, [key]);
  sendHostname(services, companyId, hostname);
}

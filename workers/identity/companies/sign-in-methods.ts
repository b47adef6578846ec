import type { CompanyRow, OAuthClientRow } from "../../../db/identity/schema";
import { followedBy } from "../../kit/db/statement";
import { changeEntry } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { activeClientsRead } from "../oauth-clients/oauth-client";
import type { IdentityServices } from "../services";
import { companyRead } from "./company";
import { setMagicLink } from "./company.store";

/** Whether people may sign in to the company by magic link: the deployment, the company and its own switch allow it. */
export function isMagicLinkEffective(
  { settings }: Pick<IdentityServices, "settings">,
  company: CompanyRow | null,
): company is CompanyRow {
  return settings.magicLinkEnabled && company?.is_active === true && company.enable_magic_link;
}

/** The reads of how people sign in to a company, for a batch. */
export function signInMethodReads(companyId: number) {
  return { company: companyRead(companyId), clients: activeClientsRead(companyId) };
}

/** Switches sign-in by magic link on or off, with its audit entry, and answers what holds then; null without the company. */
export async function switchMagicLink(
  services: IdentityServices,
  { request, caller, companyId }: { request: Request; caller: Caller; companyId: number },
  isEnabled: boolean,
): Promise<{ company: CompanyRow; clients: OAuthClientRow[] } | null> {
  const { db, clock } = services;
  const data = { changed_fields: ["enable_magic_link"], enable_magic_link: isEnabled };
  const type = "identity.auth_methods.updated";
  const { company, clients } = await db.batch({
    switched: followedBy(
      setMagicLink({ companyId, isEnabled, now: clock.now() }),
      await changeEntry(services, request, { caller, companyId, type, data }),
    ),
    ...signInMethodReads(companyId),
  });
  return company.first && { company: company.first, clients: clients.rows };
}

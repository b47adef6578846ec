import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import { followedBy } from "../../../kit/db/statement";
import type { Caller } from "../../caller/credentials/caller";
import { changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { companyRead } from "../company/company";
import { activeClientsRead, isUsable } from "./oauth-client";
import { setSignInFlags } from "./sign-in-flags.store";

/** Whether people may sign in to the company by magic link: the deployment, the company and its own switch allow it. */
export function isMagicLinkEffective(
  { settings }: Pick<IdentityServices, "settings">,
  company: CompanyRow | null,
): company is CompanyRow {
  return settings.magicLinkEnabled && company?.is_active === true && company.enable_magic_link;
}

/** What an administrator is warned of: nobody can sign in to the company by these clients or a link. */
export function signInWarnings(
  services: Pick<IdentityServices, "settings">,
  { company, clients }: { company: CompanyRow; clients: readonly OAuthClientRow[] },
): "no_sign_in_method"[] {
  return isMagicLinkEffective(services, company) || clients.some(isUsable) ? [] : ["no_sign_in_method"];
}

/** The reads of how people sign in to a company, for a batch. */
export function signInMethodReads(companyId: number) {
  return { company: companyRead(companyId), clients: activeClientsRead(companyId) };
}

/** Flags of sign-in that a company's administrators switch; what is left out stays. */
type SignInFlags = { enable_magic_link?: boolean | undefined; notify_new_device?: boolean | undefined };

/** Switches flags of sign-in, with the audit entry, and returns what holds then; null without the company. */
export async function switchSignIn(
  services: IdentityServices,
  { request, caller, company }: { request: Request; caller: Caller; company: CompanyRow },
  flags: SignInFlags,
): Promise<{ company: CompanyRow; clients: OAuthClientRow[] } | null> {
  const { db, clock } = services;
  const companyId = company.id;
  const names = (["enable_magic_link", "notify_new_device"] as const).filter(
    (name) => flags[name] !== undefined && flags[name] !== company[name],
  );
  const data = { changed_fields: names, ...Object.fromEntries(names.map((name) => [name, flags[name]])) };
  const type = "identity.auth_methods.updated";
  const after = await db.batch({
    switched: followedBy(
      setSignInFlags({
        companyId,
        isMagicLink: flags.enable_magic_link ?? null,
        isNotified: flags.notify_new_device ?? null,
        now: clock.now(),
      }),
      await changeEntry(services, request, { caller, companyId, type, data }),
    ),
    ...signInMethodReads(companyId),
  });
  return after.company.first && { company: after.company.first, clients: after.clients.rows };
}

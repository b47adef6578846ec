import { type SignInFlag, signInFlags } from "../../../../db/identity/conditions/sign-in-flags";
import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import { followedBy } from "../../../kit/db/statement";
import type { Caller } from "../../caller/credentials/caller";
import { changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { effectiveMethods, signInMethods } from "../../sign-in/methods/catalog";
import { selectCompany } from "../company/company";
import { isUsable, selectActiveClients } from "./oauth-client";
import { setSignInFlags } from "./sign-in-flags.store";

/** Returns whether users may sign in to the company by magic link. */
export function isMagicLinkEffective(
  { settings }: Pick<IdentityServices, "settings">,
  company: CompanyRow | null,
): company is CompanyRow {
  return signInMethods.magic_link.isEffective(settings, { company, clients: [] });
}

/** Returns the warnings for administrators: `no_sign_in_method` when users cannot sign in by any method. */
export function signInWarnings(
  { settings }: Pick<IdentityServices, "settings">,
  { company, clients }: { company: CompanyRow; clients: readonly OAuthClientRow[] },
): "no_sign_in_method"[] {
  const methods = effectiveMethods(settings, { company, clients: clients.filter(isUsable) });
  return methods.length > 0 ? [] : ["no_sign_in_method"];
}

/** Returns the statements that select the company and its active OAuth clients, which determine its sign-in methods. */
export function selectSignInMethods(companyId: number) {
  return { company: selectCompany(companyId), clients: selectActiveClients(companyId) };
}

const flagNames = Object.keys(signInFlags) as SignInFlag[];

/** The sign-in flags to change. Flags that are missing keep their values. */
type SignInFlags = { [F in SignInFlag]?: boolean | undefined };

/**
 * Changes sign-in flags and inserts the audit entry. Returns the resulting company and clients, or null when the company does
 * not exist.
 */
export async function changeSignInFlags(
  services: IdentityServices,
  { request, caller, company }: { request: Request; caller: Caller; company: CompanyRow },
  flags: SignInFlags,
): Promise<{ company: CompanyRow; clients: OAuthClientRow[] } | null> {
  const { db, clock } = services;
  const companyId = company.id;
  const names = flagNames.filter((name) => flags[name] !== undefined && flags[name] !== company[name]);
  const changed = Object.fromEntries(names.map((name) => [name, flags[name]]));
  const data = { changed_fields: names, ...changed };
  const type = "identity.auth_methods.updated";
  const after = await db.batch({
    switched: followedBy(
      setSignInFlags({ companyId, flags: changed, now: clock.now() }),
      await changeEntry(services, request, { caller, companyId, type, data }),
    ),
    ...selectSignInMethods(companyId),
  });
  return after.company.first && { company: after.company.first, clients: after.clients.rows };
}

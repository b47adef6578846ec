import type { CompanyRow, OAuthClientRow } from "../../../db/identity/schema";
import { followedBy } from "../../kit/db/statement";
import { changeEntry } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { activeClientsRead, isUsable } from "../oauth-clients/oauth-client";
import { Problem } from "../problem";
import type { IdentityServices } from "../services";
import { companyRead } from "./company";
import { setSignInFlags } from "./sign-in-flags.store";

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

/** Flags of sign-in that a company's administrators switch; what is left out stays. */
type SignInFlags = { enable_magic_link?: boolean | undefined; notify_new_device?: boolean | undefined };

/**
 * Switches flags of sign-in, with the audit entry, and answers what holds then; null without the company. 409
 * `last_sign_in_method` when no method would be left and `isConfirmed` is not true.
 */
export async function switchSignIn(
  services: IdentityServices,
  { request, caller, company }: { request: Request; caller: Caller; company: CompanyRow },
  flags: SignInFlags,
  last: { clients: OAuthClientRow[]; isConfirmed: boolean },
): Promise<{ company: CompanyRow; clients: OAuthClientRow[] } | null> {
  const { db, clock } = services;
  const companyId = company.id;
  if (flags.enable_magic_link === false && isMagicLinkEffective(services, company) && !last.clients.some(isUsable)) {
    requireConfirmation(last.isConfirmed);
  }
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

/** 409 `last_sign_in_method` unless whoever takes the last way in has said that they mean it. */
export function requireConfirmation(isConfirmed: boolean): void {
  if (!isConfirmed) throw new Problem("last_sign_in_method");
}

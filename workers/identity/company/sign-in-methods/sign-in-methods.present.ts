import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { IdentityServices } from "../../services";
import { effectiveMethods, presentMethods } from "../../sign-in/methods/catalog";
import { isUsable } from "./oauth-client";
import { signInWarnings } from "./sign-in-methods";

/** Returns the sign-in methods of a company for its administrators. */
export function presentAuthMethods(
  services: IdentityServices,
  { company, clients }: { company: CompanyRow; clients: OAuthClientRow[] },
) {
  const { settings } = services;
  const facts = { company, clients: clients.filter(isUsable) };
  return {
    ...presentMethods(settings, facts, (method, isOn) => method.presentAuthMethods(settings, facts, isOn)),
    notify_new_device: company.notify_new_device,
    methods: effectiveMethods(settings, facts),
    warnings: signInWarnings(services, { company, clients }),
  };
}

/**
 * Returns the public settings of a company. An unknown or inactive company looks like one with every method disabled. Members
 * also see the OAuth clients.
 */
export function presentSettings(
  { settings }: IdentityServices,
  input: { company: CompanyRow | null; clients: OAuthClientRow[]; isMember: boolean },
) {
  const { company, isMember } = input;
  const facts = { company, clients: company?.is_active ? input.clients.filter(isUsable) : [] };
  return {
    methods: effectiveMethods(settings, facts),
    ...presentMethods(settings, facts, (method, isOn) => method.presentSettings(settings, facts, isOn)),
    ...(isMember ? presentMethods(settings, facts, (method) => method.presentForMembers?.(facts) ?? {}) : {}),
  };
}

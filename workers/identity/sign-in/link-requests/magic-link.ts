import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow, SignInRequestRow } from "../../../../db/identity/schema";
import { sha256Hex, timingSafeEqual } from "../../../kit/crypto/hash";
import { selectCompany } from "../../company/company/company";
import {
  type InvitationOfAddress,
  selectInvitationOfAddress,
  selectInvitationOfRequest,
} from "../../company/memberships/membership";
import { selectOldestOrigin } from "../../company/redirects/oauth-redirect";
import { isRedirectAllowed, parseRedirect } from "../../company/redirects/redirect-target";
import { isMagicLinkEffective } from "../../company/sign-in-methods/sign-in-methods";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { selectUserByEmail } from "../../users/profiles/company-user";
import { decideJoin, type JoinDecision } from "../completion/join";
import { refusedUser, storeRefusal } from "../completion/refusal";
import {
  countCodeTry,
  findOriginsOfAddress,
  findOriginsOfRequest,
  findSignInRequest,
  findUserOfRequest,
} from "./magic-link.store";
import { hashSignInCode } from "./magic-link-request";

export { MAX_CODE_TRIES } from "./magic-link.store";

/** A link with the rows that its use depends on, read in one round trip. */
export type LinkState = {
  company: CompanyRow | null;
  request: SignInRequestRow | null;
  user: CompanyUserRow | null;
  invitation: InvitationOfAddress | null;
  origins: string[];
  /** the origin to which a problem page sends users for a new link */
  oldestOrigin: string | null;
};

/** Reads the link with this raw token. Writes nothing. */
export async function readLink(services: IdentityServices, companyId: number, token: string): Promise<LinkState> {
  const { db } = services;
  const tokenHash = await sha256Hex(token);
  const { company, request, user, invitation, origins, oldest } = await db.batch({
    company: selectCompany(companyId),
    request: findSignInRequest({ companyId, tokenHash }),
    user: findUserOfRequest({ companyId, tokenHash }),
    invitation: selectInvitationOfRequest(companyId, tokenHash),
    origins: findOriginsOfRequest({ companyId, tokenHash }),
    oldest: selectOldestOrigin(companyId),
  });
  return {
    company: company.first,
    request: request.first,
    user: user.first,
    invitation: invitation.first,
    origins: origins.rows.map((row) => row.base_url),
    oldestOrigin: oldest.first?.base_url ?? null,
  };
}

/**
 * Returns the live sign-in request of a link or typed code. Throws 403 `magic_link_disabled` when links are disabled, and
 * 400 `invalidCode` when the request is missing, consumed or expired.
 */
export function requireLiveLink(
  services: IdentityServices,
  state: LinkState,
  invalidCode: "magic_link_invalid" | "sign_in_code_invalid" = "magic_link_invalid",
): SignInRequestRow {
  if (!isMagicLinkEffective(services, state.company)) throw new Problem("magic_link_disabled");
  const { request } = state;
  if (!request || request.consumed_at !== null || request.expires_at <= services.clock.now()) {
    throw new Problem(invalidCode);
  }
  return request;
}

/** Returns whether the redirect target of the link is still allowed. */
export function isRedirectStillAllowed(services: IdentityServices, state: LinkState, redirectTo: string): boolean {
  const url = parseRedirect(redirectTo);
  return url !== null && isRedirectAllowed(url, state.origins.includes(url.origin), services.settings.debug);
}

/**
 * Finds the sign-in request that a typed code belongs to. Counts an attempt on all live requests of the address, then
 * compares the codes in constant time. `request` is null when the code is wrong, codes are disabled, or the address is
 * unknown. With `isForm` the response is a redirect, so the origins of the allowlist are read too.
 */
export async function readCode(
  services: IdentityServices,
  { companyId, email, code }: { companyId: number; email: string; code: string },
  { isForm = false } = {},
): Promise<LinkState> {
  const { db, clock, settings } = services;
  const { codes } = await services.keys();
  const now = clock.now();
  const { company, triedRequests, user, invitation, origins } = await db.batch({
    company: selectCompany(companyId),
    triedRequests: countCodeTry({ companyId, email, now, linksEnabled: settings.magicLinkEnabled }),
    user: selectUserByEmail(companyId, email),
    invitation: selectInvitationOfAddress(companyId, email),
    origins: isForm ? findOriginsOfAddress({ companyId, email, now }) : null,
  });
  const expected = await Promise.all(codes.map((key) => hashSignInCode(key, companyId, email, code)));
  let request: SignInRequestRow | null = null;
  for (const row of triedRequests.rows) {
    for (const hash of expected) if (timingSafeEqual(row.code_hash ?? "", hash)) request = row;
  }
  return {
    company: company.first,
    request,
    user: user.first,
    invitation: invitation.first,
    oldestOrigin: null,
    origins: origins?.rows.map((row) => row.base_url) ?? [],
  };
}

/**
 * Returns the join decision. If the decision has a membership state to store, this also stores the user and the membership.
 * A rejection does not consume the link, so that the same link works after an administrator has given the user access.
 */
export async function decideAccess(
  services: IdentityServices,
  state: LinkState & { company: CompanyRow },
  { id, email }: SignInRequestRow,
): Promise<JoinDecision> {
  const { company, user, invitation } = state;
  const now = services.clock.now();
  const decision = decideJoin({ company, user, invitation, email, isProven: true, isCompanyProvider: false, now });
  if (decision.access !== "allowed" && decision.store !== null) {
    const refused = {
      id,
      email,
      state: decision.store,
      source: "magic_link" as const,
      provider: "magic_link",
      now,
      consumption: null,
    };
    await storeRefusal(services, company, { ...refused, opening: [refusedUser(email, now)] });
  }
  return decision;
}

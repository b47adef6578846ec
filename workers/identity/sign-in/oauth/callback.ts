import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { OAuthClientRow } from "../../../../db/identity/schema";
import { uuid } from "../../../kit/ids";
import type { ClientContext } from "../../caller/client/client-context";
import {
  type InvitationOfAddress,
  selectInvitationOfAddress,
  selectInvitationOfIdentity,
} from "../../company/memberships/membership";
import { Problem } from "../../problem";
import { recordFailure } from "../../records/audit/login-failure";
import type { IdentityServices } from "../../services";
import { selectUserByEmail } from "../../users/profiles/company-user";
import { codeLocation, errorLocation, fragmentLocation } from "../completion/delivery";
import { decideJoin } from "../completion/join";
import { storeRefusal } from "../completion/refusal";
import { accountStatements, issueCode, openSession, type SignIn } from "../completion/sign-in";
import type { ProviderIdentity } from "../oauth-providers/types";
import { type CallbackValues, identifyUser, logProblem } from "./exchange";
import { findUserByIdentity, linkIdentity } from "./identity.store";
import type { PendingSignIn } from "./state";
import { finishOAuthState } from "./state.store";

/**
 * The account that a sign-in leads to. `user` is null for a new account. `isProven` is true when this sign-in proves the
 * address.
 */
type Account = {
  user: CompanyUserRow | null;
  email: string;
  isProven: boolean;
  /** the pending or revoked invitation of the address */
  invitation: InvitationOfAddress | null;
};

const MAX_TRIES = 3;

/**
 * Finishes a sign-in whose state is consumed: identifies the user at the provider, finds the account and applies the join
 * rules. Returns the redirect location. For a rejection, records it in the audit log and returns a location with the error
 * code.
 */
export async function finishSignIn(
  services: IdentityServices,
  attempt: PendingSignIn,
  values: CallbackValues,
  target: URL,
  client: ClientContext,
  messageOf: (code: string) => string,
): Promise<string> {
  const audited: { user: CompanyUserRow | null } = { user: null };
  try {
    const identity = await identifyUser(services, attempt.client, values, attempt.secrets);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const location = await signIn(services, attempt, identity, target, client, audited);
      if (location !== null) return location;
    }
    // At every attempt, the account changed between read and write.
    throw new Problem("oauth_identity_failed");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    recordFailure(services, client, {
      company: attempt.company,
      user: audited.user,
      request: factsOfPendingSignIn(attempt),
      reason: error.code,
      provider: attempt.client?.provider_id ?? "oauth",
    });
    logProblem(services, error);
    return errorLocation(target, error.code, messageOf(error.code));
  }
}

/** Returns the facts of a pending sign-in for the audit log. */
export function factsOfPendingSignIn({ clientTimezone, deviceHash }: PendingSignIn) {
  return { client_timezone: clientTimezone, device_hash: deviceHash };
}

/** Makes one attempt with freshly read rows. Returns null when a row changed before the write. */
async function signIn(
  services: IdentityServices,
  attempt: PendingSignIn,
  identity: ProviderIdentity,
  target: URL,
  context: ClientContext,
  audited: { user: CompanyUserRow | null },
): Promise<string | null> {
  const { company, client } = attempt;
  if (!client) throw new Problem("oauth_client_unavailable");
  const account = await findAccount(services, company.id, client, identity, audited);
  const isGeneric = client.provider === "oidc";
  // A company controls what its own provider asserts, so this provider must not sign users in to staff accounts.
  if (isGeneric && account.user?.is_staff) throw new Problem("access_denied");
  const { user, email, isProven, invitation } = account;
  const now = services.clock.now();
  const decision = decideJoin({ company, user, invitation, email, isProven, isCompanyProvider: isGeneric, now });
  const accepted = decision.access === "allowed" ? decision.invitation : null;
  const batch = batchOf(services, attempt, client, identity, { ...account, invitation: accepted });
  if (decision.access !== "allowed") {
    if (decision.store !== null) {
      await storeRefusal(services, company, {
        id: batch.nonce,
        email: account.email,
        state: decision.store,
        source: "oauth",
        now: batch.now,
        opening: accountStatements(batch),
        consumption: { key: batch.key, nonce: batch.nonce },
        provider: client.provider_id,
      });
    }
    throw new Problem(`access_${decision.access}`);
  }
  if (attempt.state.token_delivery === "code") {
    const code = await issueCode(services, batch, context);
    return code === null ? null : codeLocation(target, code);
  }
  const payload = await openSession(services, batch, context);
  return payload === null ? null : fragmentLocation(target, payload);
}

/**
 * Finds the account to which the provider's account is linked, or else the account with the provider's address. Throws
 * `oauth_email_missing` without an address, and `oauth_email_unverified` when an account has the address but the provider has
 * not verified it.
 */
async function findAccount(
  services: IdentityServices,
  companyId: number,
  client: OAuthClientRow,
  identity: ProviderIdentity,
  audited: { user: CompanyUserRow | null },
): Promise<Account> {
  const { db } = services;
  const { issuer, subject, email, isEmailProven } = identity;
  const scope = identityScopeOf(client);
  const { byIdentity, byEmail, invitation, invitationOfLinked } = await db.batch({
    byIdentity: findUserByIdentity({ companyId, issuer, subject, ...scope }),
    byEmail: selectUserByEmail(companyId, email ?? ""),
    invitation: selectInvitationOfAddress(companyId, email ?? ""),
    invitationOfLinked: selectInvitationOfIdentity({ companyId, issuer, subject, ...scope }),
  });
  const linked = byIdentity.first;
  audited.user = linked ?? byEmail.first;
  // The provider may know the user by another address, which proves nothing about the account's address.
  if (linked) {
    const isProven = isEmailProven && email === linked.email;
    return { user: linked, email: linked.email, isProven, invitation: invitationOfLinked.first };
  }
  if (email === null) throw new Problem("oauth_email_missing");
  const user = byEmail.first;
  if (user && !isEmailProven) throw new Problem("oauth_email_unverified");
  return { user, email, isProven: isEmailProven, invitation: invitation.first };
}

/**
 * Returns the scope of an identity. An identity of a generic OpenID provider is valid only in the provider's company; other
 * identities are valid in every company.
 */
function identityScopeOf({ provider, company_id }: OAuthClientRow) {
  return { provider, identityCompany: provider === "oidc" ? company_id : 0 };
}

/**
 * Returns the SignIn of this state. The first statement of its batch finishes the state and sets a new nonce, on which every
 * other statement depends.
 */
function batchOf(
  services: IdentityServices,
  attempt: PendingSignIn,
  client: OAuthClientRow,
  identity: ProviderIdentity,
  { user, email, isProven, invitation }: Account,
): SignIn {
  const { state } = attempt;
  const { issuer, subject, firstName, lastName, avatarUrl } = identity;
  const now = services.clock.now();
  const nonce = uuid();
  const stateHash = state.state_hash;
  const account = { issuer, subject, ...identityScopeOf(client) };
  // A public company admits the address again.
  const wasMember = user?.state === "allowed" && attempt.company.access_mode !== "public";
  const use = { stateHash, useNonce: attempt.nonce, nonce, email, userId: user?.id ?? null, now };
  const link = { stateHash, useNonce: nonce, email, now, id: uuid(), providerEmail: identity.email ?? email, isProven };
  return {
    source: "oauth",
    key: stateHash,
    nonce,
    now,
    consume: finishOAuthState({
      ...use,
      ...account,
      invitationId: invitation?.id ?? null,
      wasMember,
    }),
    verifiedMember: null,
    invitation,
    linking: [linkIdentity({ ...link, ...account })],
    companyId: state.company_id,
    email,
    isProven,
    profile: { firstName, lastName, avatarUrl },
    provider: client.provider_id,
    redirectTo: state.redirect_to,
    codeChallenge: state.code_challenge,
    clientTimezone: attempt.clientTimezone,
    deviceHash: attempt.deviceHash,
    isNotified: attempt.company.notify_new_device,
  };
}

import { uuid } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";
import { findPersonByEmail, type PersonRow } from "../account/person.store";
import { recordFailure } from "../audit/event-log";
import type { ClientContext } from "../caller/client-context";
import type { OAuthClientRow } from "../oauth-clients/oauth-client.store";
import type { ProviderIdentity } from "../oauth-providers/types";
import { codeLocation, errorLocation, fragmentLocation } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import { decideJoin } from "../sign-in/join";
import { storeRefusal } from "../sign-in/refusal";
import { accountStatements, issueCode, openSession, type SignIn } from "../sign-in/sign-in";
import { oauthRefusal, oauthSignIn } from "../sign-in/sign-in.store";
import { type CallbackValues, identifyPerson, noteProblem } from "./exchange";
import { findPersonByIdentity, linkIdentity } from "./identity.store";
import type { Attempt } from "./state";
import { finishOAuthState } from "./state.store";

/** The account that a provider's account signs in, or null for a new one; `isProven`: this sign-in proves its address. */
type Account = { person: PersonRow | null; email: string; isProven: boolean };

const maxTries = 3;

/**
 * The rest of a sign-in once its state is used: who the person is, whose account that is, whether the company lets them
 * in. Answers the redirect, also for refusals, which are noted in the audit log (details 4.1, 3.2, 11).
 */
export async function finishAttempt(
  services: IdentityServices,
  attempt: Attempt,
  values: CallbackValues,
  target: URL,
  client: ClientContext,
  sentenceOf: (code: string) => string,
): Promise<string> {
  const seen: { person: PersonRow | null } = { person: null };
  try {
    const identity = await identifyPerson(services, attempt.client, values, attempt.secrets);
    for (let tries = 1; tries <= maxTries; tries++) {
      const location = await signIn(services, attempt, identity, target, client, seen);
      if (location !== null) return location;
    }
    // Somebody changed the account between reading and writing, each time.
    throw new Problem("oauth_identity_failed");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    recordFailure(services, client, {
      company: attempt.company,
      person: seen.person,
      request: attemptFacts(attempt),
      reason: error.code,
      provider: attempt.client?.provider_id ?? "oauth",
    });
    noteProblem(services, error);
    return errorLocation(target, error.code, sentenceOf(error.code));
  }
}

/** What the audit keeps of a sign-in under way. */
export function attemptFacts({ clientTimezone, deviceHash }: Attempt) {
  return { client_timezone: clientTimezone, device_hash: deviceHash };
}

/** One try on freshly read rows; null when they had changed by the time of writing. */
async function signIn(
  services: IdentityServices,
  attempt: Attempt,
  identity: ProviderIdentity,
  target: URL,
  context: ClientContext,
  seen: { person: PersonRow | null },
): Promise<string | null> {
  const { company, client } = attempt;
  if (!client) throw new Problem("oauth_client_unavailable");
  const account = await findAccount(services, company.id, client, identity, seen);
  const isGeneric = client.provider === "oidc";
  // A company's own provider says what the company wants: it reaches no staff account (details 4.1).
  if (isGeneric && account.person?.is_staff === 1) throw new Problem("access_denied");
  const decision = decideJoin(company, account.person, account.email, account.isProven || isGeneric);
  const batch = batchOf(services, attempt, client, identity, account);
  if (decision.access !== "allowed") {
    if (decision.store !== null) {
      await storeRefusal(services, company, {
        id: batch.nonce,
        email: account.email,
        state: decision.store,
        source: "oauth",
        now: batch.now,
        opening: accountStatements(services, batch),
        statements: oauthRefusal,
        guard: [batch.key, batch.nonce],
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

/** By the provider's account first, then by the address, but only when it is proven (details 4.1, linking). */
async function findAccount(
  services: IdentityServices,
  companyId: number,
  client: OAuthClientRow,
  identity: ProviderIdentity,
  seen: { person: PersonRow | null },
): Promise<Account> {
  const { db } = services;
  const { issuer, subject, email, isEmailProven } = identity;
  const [byIdentity, byEmail] = await db.batch<[PersonRow, PersonRow]>([
    findPersonByIdentity.bind(db, companyId, client.provider, issuer, subject, companyOfIdentity(client)),
    findPersonByEmail.bind(db, companyId, email ?? ""),
  ]);
  const linked = byIdentity.results[0];
  seen.person = linked ?? byEmail.results[0] ?? null;
  // The provider may know the person by another address than ours: that one proves nothing about the account.
  if (linked) return { person: linked, email: linked.email, isProven: isEmailProven && email === linked.email };
  if (email === null) throw new Problem("oauth_email_missing");
  const person = byEmail.results[0] ?? null;
  if (person && !isEmailProven) throw new Problem("oauth_email_unverified");
  return { person, email, isProven: isEmailProven };
}

/** A generic OpenID identity counts in its own company only; the others are the same person everywhere. */
function companyOfIdentity(client: OAuthClientRow): number {
  return client.provider === "oidc" ? client.company_id : 0;
}

/** The batch that opens with the finish of the state; everything in it depends on a nonce of its own. */
function batchOf(
  services: IdentityServices,
  attempt: Attempt,
  client: OAuthClientRow,
  identity: ProviderIdentity,
  { person, email, isProven }: Account,
): SignIn {
  const { db, clock } = services;
  const { state } = attempt;
  const { issuer, subject, firstName, lastName, avatarUrl } = identity;
  const now = clock.now();
  const nonce = uuid();
  const key = state.state_hash;
  const account = [client.provider, issuer, subject, companyOfIdentity(client)];
  const provenFlag = isProven ? 1 : 0;
  return {
    statements: oauthSignIn,
    key,
    nonce,
    now,
    use: finishOAuthState.bind(db, key, attempt.nonce, nonce, email, person?.id ?? null, ...account),
    linking: [linkIdentity.bind(db, key, nonce, email, now, uuid(), ...account, identity.email ?? email, provenFlag)],
    companyId: state.company_id,
    email,
    isProven,
    profile: { firstName, lastName, avatarUrl },
    provider: client.provider_id,
    source: "oauth",
    totals: [],
    redirectTo: state.redirect_to,
    codeChallenge: state.code_challenge,
    clientTimezone: attempt.clientTimezone,
    deviceHash: attempt.deviceHash,
  };
}

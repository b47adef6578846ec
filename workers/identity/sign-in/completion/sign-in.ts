import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { Source } from "../../../../db/identity/one-time-row";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { dayStart } from "../../../kit/time";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { auditFacts, type ClientContext } from "../../caller/client/client-context";
import { deviceKey } from "../../caller/client/device";
import { issueTokens, type TokenPayload } from "../../caller/credentials/token";
import { joinStatement } from "../../company/memberships/membership";
import { parseRedirect, redirectKey } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import { userCreatedEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { signInMethods } from "../methods/catalog";
import { newDeviceNotice, sendNewDeviceMail } from "../new-device/new-device";
import { insertLoginEvent, signInBy } from "./sign-in.store";

/** A sign-in that is decided: what its one-time batch writes, by whichever method the person came. */
export type SignIn = {
  source: Source;
  /** key of the one-time row and the nonce that spends it; everything in the batch depends on them */
  key: string;
  nonce: string;
  /** unix ms of the whole batch */
  now: number;
  /** the conditional statement that spends the row; opens the batch */
  use: Bound<unknown>;
  /** somebody known, proven and let in, and the statement that spends the row while they still are; null: anybody else */
  known: { user: CompanyUserRow; use: Bound<unknown> } | null;
  /** what follows the account, e.g. the provider's identity */
  linking: Bound[];
  companyId: number;
  /** the address of the account, also of a new one, and whether this method proves it */
  email: string;
  isProven: boolean;
  /** what a new account begins with */
  profile: { firstName: string; lastName: string; avatarUrl: string | null };
  provider: string;
  redirectTo: string;
  codeChallenge: string | null;
  clientTimezone: string;
  deviceHash: string | null;
  /** whether the company wants mails about new devices */
  isNotified: boolean;
};

/** The values on which every statement behind the use depends. */
const consumptionOf = ({ key, nonce }: SignIn) => ({ key, nonce });
const accountOf = ({ key, nonce, email, now }: SignIn) => ({ key, nonce, email, now });

/** The opening of a batch: the use, the account, the proof of its address. */
export function accountStatements(signIn: SignIn): Bound<unknown>[] {
  const { source, email, now, isProven, profile, use, linking } = signIn;
  const by = signInBy[source];
  const account = accountOf(signIn);
  const provenAt = isProven ? now : null;
  return [
    use,
    by.createUser({ ...account, ...newUsernames(email), ...profile, provenAt }),
    ...(isProven
      ? [
          by.endUnprovenTokens(account),
          by.endUnprovenSessions(account),
          by.removeUnprovenIdentities({ ...consumptionOf(signIn), email }),
          by.proveAddress({ ...account, today: dayStart(now) }),
        ]
      : []),
    ...linking,
  ];
}

/** What opens a session or makes a code: the account, the membership, and the event of a new account under this id. */
function admission(signIn: SignIn, createdId: string) {
  const { source, provider, email, companyId, now } = signIn;
  const data = signInMethods[source].accountData(provider);
  return {
    account: accountStatements(signIn),
    membership: joinStatement(source, { ...accountOf(signIn), companyId, today: dayStart(now) }),
    created: userCreatedEntry({ email, companyId, eventId: createdId, source, data, now }),
  };
}

/** The person once everything is written; no row when the race was lost. */
function selectUserAfter(signIn: SignIn): Bound<CompanyUserRow> {
  const { source, email, companyId } = signIn;
  return signInBy[source].findCompanyUser({ ...consumptionOf(signIn), email, companyId });
}

/**
 * Spends the row and writes what it is spent for, `made`, in one batch: the person then, or null when the race is lost. For
 * a known person the statements that would change nothing are left out; when they are not known like that any more, nothing is
 * written, and the whole batch decides.
 */
async function consumeAndWrite(
  services: IdentityServices,
  signIn: SignIn,
  made: Bound[],
): Promise<CompanyUserRow | null> {
  const { known, source, companyId, now } = signIn;
  if (known !== null) {
    const today = dayStart(now);
    const by = signInBy[source];
    const { id: userId, last_seen_at, email_verified_at } = known.user;
    const isOfToday = (at: number | null) => at !== null && at >= today;
    const { user } = await services.db.batch({
      use: known.use,
      proof: isOfToday(email_verified_at) ? null : by.proveAddress({ ...accountOf(signIn), today }),
      seen: isOfToday(last_seen_at)
        ? null
        : by.recordLastSeen({ ...consumptionOf(signIn), companyId, userId, now, today }),
      made,
      user: selectUserAfter(signIn),
    });
    if (user.first) return user.first;
  }
  const createdId = uuid();
  const { user } = await batchWithEvents(
    services.webhooks,
    services.db,
    { ...admission(signIn, createdId), made, user: selectUserAfter(signIn) },
    [{ id: createdId, company_id: companyId }],
  );
  return user.first;
}

function auditOf(services: IdentityServices, signIn: SignIn, client: ClientContext): Promise<Record<string, unknown>> {
  return auditFacts(services, client, {
    provider: signIn.provider,
    client_timezone: signIn.clientTimezone,
    client_device_id_hash: signIn.deviceHash,
  });
}

/** Spends the row and opens a session: one batch, one winner. Null when the race is lost; nothing is written then. */
export async function openSession(
  services: IdentityServices,
  signIn: SignIn,
  client: ClientContext,
): Promise<TokenPayload | null> {
  const { settings } = services;
  const { source, now, companyId, provider, clientTimezone: timezone } = signIn;
  const { country, city, userAgent } = client;
  const sid = uuid();
  const eventId = uuid();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const idleEnd = Math.min(now + settings.refreshIdleMs, hardEnd);
  const data = JSON.stringify(await auditOf(services, signIn, client));
  const device = deviceKey(userAgent, signIn.deviceHash);
  const session = { sid, idleEnd, hardEnd, provider, country, userAgent, device };
  const user = await consumeAndWrite(services, signIn, [
    signInBy[source].createSession({ ...accountOf(signIn), companyId, ...session }),
    insertLoginEvent({ sid, eventId, data, country, city, timezone, now }),
    ...(signIn.isNotified ? [newDeviceNotice(services, sid, now)] : []),
  ]);
  if (!user) return null;
  sendNewDeviceMail(services, sid, signIn.isNotified);
  return issueTokens(services, user, { sid, companyId, provider, authTime: now }, 0);
}

/** Spends the row for an auth code that the application redeems (delivery `code`): the raw code, or null as openSession. */
export async function issueCode(
  services: IdentityServices,
  signIn: SignIn,
  client: ClientContext,
): Promise<string | null> {
  const { source, now, companyId, provider, redirectTo, codeChallenge } = signIn;
  const code = randomToken();
  const codeHash = await sha256Hex(code);
  const target = parseRedirect(redirectTo);
  if (!target) throw new Problem("redirect_not_allowed");
  const facts = await auditOf(services, signIn, client);
  const user = await consumeAndWrite(services, signIn, [
    signInBy[source].createCode({
      ...accountOf(signIn),
      companyId,
      provider,
      codeHash,
      redirectTo,
      context: { ...facts, client_device: deviceKey(client.userAgent, signIn.deviceHash) },
      expiresAt: now + services.settings.authCodeMs,
      redirectKey: redirectKey(target),
      challenge: codeChallenge,
    }),
  ]);
  return user ? code : null;
}

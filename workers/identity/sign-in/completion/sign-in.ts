import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { Source } from "../../../../db/identity/conditions/one-time-row";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { dayStart } from "../../../kit/time";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { auditFacts, type ClientContext } from "../../caller/client/client-context";
import { deviceKey } from "../../caller/client/device";
import { issueTokens, type TokenPayload } from "../../caller/credentials/token";
import { acceptanceStatements, type InvitationOfAddress, joinStatement } from "../../company/memberships/membership";
import { parseRedirect, redirectKey } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import { userCreatedEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { signInMethods } from "../methods/catalog";
import { newDeviceNotice, sendNewDeviceMail } from "../new-device/new-device";
import { insertLoginEvent, signInBy } from "./sign-in.store";

/** A sign-in, by any method, that the join rules allow: the input of the batch that completes it. */
export type SignIn = {
  source: Source;
  /** key of the one-time row and the nonce that consumes it; every statement of the batch depends on them */
  key: string;
  nonce: string;
  /** time of all changes in the batch (unix ms) */
  now: number;
  /** the first statement of the batch, which consumes the row under its conditions */
  consume: Bound<unknown>;
  /**
   * an existing user who is allowed and has a proven address, and the statement that consumes the row only if this is still
   * true; null for other users
   */
  verifiedMember: { user: CompanyUserRow; consume: Bound<unknown> } | null;
  /** the invitation that the sign-in accepts, or null */
  invitation: InvitationOfAddress | null;
  /** statements that run after those of the account, e.g. to link the provider's identity */
  linking: Bound[];
  companyId: number;
  /** the address of the account, and whether this method proves it */
  email: string;
  isProven: boolean;
  /** the profile of a new account */
  profile: { firstName: string; lastName: string; avatarUrl: string | null };
  provider: string;
  redirectTo: string;
  codeChallenge: string | null;
  clientTimezone: string;
  deviceHash: string | null;
  /** whether the company has enabled mails about new devices */
  isNotified: boolean;
};

/** Returns the parameters with which later statements of the batch check that this request consumed the one-time row. */
const consumptionOf = ({ key, nonce }: SignIn) => ({ key, nonce });
const accountOf = ({ key, nonce, email, now }: SignIn) => ({ key, nonce, email, now });

/** Returns the first statements of the batch. They consume the row, create the account and store the proof of its address. */
export function accountStatements(signIn: SignIn): Bound<unknown>[] {
  const { source, email, now, isProven, profile, consume, linking } = signIn;
  const by = signInBy[source];
  const account = accountOf(signIn);
  const provenAt = isProven ? now : null;
  return [
    consume,
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

/** Returns the statements for the account, the membership and their events, and the keys of these events. */
function admission({ newEventId }: IdentityServices, signIn: SignIn) {
  const { source, provider, email, companyId, invitation, now } = signIn;
  const data = signInMethods[source].accountData(provider);
  const createdId = newEventId();
  const joined = (invitation?.group_ids ?? []).map((group_id) => ({ group_id, event_id: newEventId() }));
  const input = { ...accountOf(signIn), companyId };
  const created = { email, companyId, eventId: createdId, source: invitation ? "invitation" : source, data, now };
  return {
    statements: {
      account: accountStatements(signIn),
      membership: invitation
        ? acceptanceStatements(source, { ...input, invitationId: invitation.id }, joined)
        : [joinStatement(source, { ...input, today: dayStart(now) })],
      created: userCreatedEntry(created),
    },
    events: [createdId, ...joined.map(({ event_id }) => event_id)].map((id) => ({ id, company_id: companyId })),
  };
}

/**
 * Returns the statement that selects the user at the end of the batch. It returns no row when another request consumed the
 * one-time row.
 */
function selectUserAfter(signIn: SignIn): Bound<CompanyUserRow> {
  const { source, email, companyId } = signIn;
  return signInBy[source].findCompanyUser({ ...consumptionOf(signIn), email, companyId });
}

/**
 * Consumes the one-time row and runs `statements` in one batch. Returns the user, or null when the row could not be consumed.
 * For a verified member a shorter batch runs first, without the statements that would change nothing. It writes nothing if the
 * user has changed meanwhile; then the full batch runs.
 */
async function consumeAndWrite(
  services: IdentityServices,
  signIn: SignIn,
  statements: Bound[],
): Promise<CompanyUserRow | null> {
  const { verifiedMember, source, companyId, now } = signIn;
  if (verifiedMember !== null) {
    const today = dayStart(now);
    const by = signInBy[source];
    const { id: userId, last_seen_at, email_verified_at } = verifiedMember.user;
    const isToday = (time: number | null) => time !== null && time >= today;
    const { user } = await services.db.batch({
      consumed: verifiedMember.consume,
      proof: isToday(email_verified_at) ? null : by.proveAddress({ ...accountOf(signIn), today }),
      seen: isToday(last_seen_at)
        ? null
        : by.recordLastSeen({ ...consumptionOf(signIn), companyId, userId, now, today }),
      statements,
      user: selectUserAfter(signIn),
    });
    if (user.first) return user.first;
  }
  const admitted = admission(services, signIn);
  const { user } = await batchWithEvents(
    services.webhooks,
    services.db,
    { ...admitted.statements, statements, user: selectUserAfter(signIn) },
    admitted.events,
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

/**
 * Consumes the one-time row and opens a session in one batch. Returns null, with nothing written, when the row could not be
 * consumed.
 */
export async function openSession(
  services: IdentityServices,
  signIn: SignIn,
  client: ClientContext,
): Promise<TokenPayload | null> {
  const { settings } = services;
  const { source, now, companyId, provider, clientTimezone: timezone } = signIn;
  const { country, city, userAgent } = client;
  const sid = uuid();
  const eventId = services.newEventId();
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

/**
 * Consumes the one-time row and stores an auth code that the application redeems (delivery `code`). Returns the raw code, or
 * null when the row could not be consumed.
 */
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

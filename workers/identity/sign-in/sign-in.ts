import { sha256Hex } from "../../kit/crypto/hash";
import { randomHex, randomToken, uuid } from "../../kit/crypto/random";
import type { SqlValue } from "../../kit/db";
import { Problem } from "../../kit/problem";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-log/new-event";
import type { PersonRow } from "../account/person.store";
import { insertLoginEvent, insertUserCreatedEvent } from "../audit/event-log.store";
import { auditData, type ClientContext } from "../caller/client-context";
import { issueTokens } from "../caller/token";
import { parseRedirect, redirectKey, type TokenPayload } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import { usernameCandidates } from "./join";
import type { SignInStatements } from "./sign-in.store";

/** A sign-in that is decided: what its one-time batch writes, by whichever method the person came. */
export type SignIn = {
  statements: SignInStatements;
  /** key of the one-time row and the nonce that spends it; everything in the batch depends on them */
  key: string;
  nonce: string;
  /** unix ms of the whole batch */
  now: number;
  /** the conditional statement that spends the row; opens the batch */
  use: D1PreparedStatement;
  /** what follows the account, e.g. the provider's identity */
  linking: D1PreparedStatement[];
  companyId: number;
  /** the address of the account, also of a new one, and whether this method proves it */
  email: string;
  isProven: boolean;
  /** what a new account begins with */
  profile: { firstName: string; lastName: string; avatarUrl: string | null };
  provider: string;
  source: "magic_link" | "oauth";
  /** totals beside that of logins */
  totals: string[];
  redirectTo: string;
  codeChallenge: string | null;
  clientTimezone: string;
  deviceHash: string | null;
};

const loginsTotal = "successful_logins";

/** The opening of a batch: the use, the account, the proof of its address (details 2.5 end). */
export function accountStatements(services: IdentityServices, signIn: SignIn): D1PreparedStatement[] {
  const { db } = services;
  const { statements, key, nonce, email, now, isProven, profile } = signIn;
  const names = usernameCandidates(email, randomHex(6));
  const { firstName, lastName, avatarUrl } = profile;
  const provenAt = isProven ? now : null;
  return [
    signIn.use,
    statements.createUser.bind(db, key, nonce, email, now, ...names, provenAt, firstName, lastName, avatarUrl),
    ...(isProven
      ? [
          statements.endUnprovenTokens.bind(db, key, nonce, email, now),
          statements.endUnprovenSessions.bind(db, key, nonce, email, now),
          statements.removeUnprovenIdentities.bind(db, key, nonce, email),
          statements.proveAddress.bind(db, key, nonce, email, now),
        ]
      : []),
    ...signIn.linking,
  ];
}

/** `identity.user.created` under this id, when this sign-in made the account. */
function userCreatedEvent(services: IdentityServices, signIn: SignIn, id: string): D1PreparedStatement {
  const { email, companyId, now, source, provider } = signIn;
  const more = storableData(source === "oauth" ? { oauth_provider: provider } : {});
  return insertUserCreatedEvent.bind(services.db, email, companyId, id, now, source, more);
}

function admission(services: IdentityServices, signIn: SignIn, createdId: string): D1PreparedStatement[] {
  const { statements, key, nonce, email, now, companyId } = signIn;
  return [
    ...accountStatements(services, signIn),
    statements.admitUser.bind(services.db, key, nonce, email, now, companyId),
    userCreatedEvent(services, signIn, createdId),
  ];
}

function totals(services: IdentityServices, signIn: SignIn, names: [string, string][], guard: string) {
  const { statements, key, nonce, companyId } = signIn;
  return names.map(([name, label]) => statements.count.bind(services.db, key, nonce, companyId, name, label, guard));
}

function auditOf(services: IdentityServices, signIn: SignIn, client: ClientContext): Promise<string> {
  return auditData(services, client, {
    provider: signIn.provider,
    client_timezone: signIn.clientTimezone,
    client_device_id_hash: signIn.deviceHash,
  });
}

/** The start of the values of every statement behind the use. */
function valuesOf({ key, nonce, email, now, companyId, provider }: SignIn): SqlValue[] {
  return [key, nonce, email, now, companyId, provider];
}

/** Spends the row and opens a session: one batch, one winner. Null when the race is lost; nothing is written then. */
export async function openSession(
  services: IdentityServices,
  signIn: SignIn,
  client: ClientContext,
): Promise<TokenPayload | null> {
  const { db, settings } = services;
  const { statements, key, nonce, email, now, companyId, provider } = signIn;
  const sid = uuid();
  const eventId = uuid();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const idleEnd = Math.min(now + settings.refreshIdleMs, hardEnd);
  const data = await auditOf(services, signIn, client);
  const counts: [string, string][] = [
    ...signIn.totals.map((name): [string, string] => [name, ""]),
    [loginsTotal, provider],
  ];
  const createdId = uuid();
  const batch = [
    ...admission(services, signIn, createdId),
    statements.createSession.bind(db, ...valuesOf(signIn), sid, idleEnd, hardEnd, client.country, client.userAgent),
    ...totals(services, signIn, counts, eventId),
    insertLoginEvent.bind(db, sid, eventId, data, client.country, client.city, signIn.clientTimezone, now),
    statements.findPerson.bind(db, key, nonce, email, companyId),
  ];
  const results = await batchWithEvents<PersonRow[]>(services.actions, batch, [createdId]);
  const person = results.at(-1)?.results[0];
  return person ? issueTokens(services, person, { sid, companyId, provider, authTime: now }, 0) : null;
}

/** Spends the row for an auth code that the application redeems (delivery `code`): the raw code, or null as openSession. */
export async function issueCode(
  services: IdentityServices,
  signIn: SignIn,
  client: ClientContext,
): Promise<string | null> {
  const { db, settings } = services;
  const { statements, key, nonce, email, now, companyId, redirectTo, codeChallenge } = signIn;
  const code = randomToken();
  const codeHash = await sha256Hex(code);
  const target = parseRedirect(redirectTo);
  if (!target) throw new Problem("redirect_not_allowed");
  const data = await auditOf(services, signIn, client);
  const expiresAt = now + settings.authCodeMs;
  const redirect = [redirectTo, redirectKey(target), codeChallenge];
  const createdId = uuid();
  const batch = [
    ...admission(services, signIn, createdId),
    ...totals(
      services,
      signIn,
      signIn.totals.map((name) => [name, ""]),
      codeHash,
    ),
    statements.createCode.bind(db, ...valuesOf(signIn), codeHash, data, expiresAt, ...redirect),
    statements.findPerson.bind(db, key, nonce, email, companyId),
  ];
  const results = await batchWithEvents<PersonRow[]>(services.actions, batch, [createdId]);
  return results.at(-1)?.results[0] ? code : null;
}

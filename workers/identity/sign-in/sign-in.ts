import type { PersonRow } from "../../../db/identity/person";
import { sha256Hex } from "../../kit/crypto/hash";
import { randomToken } from "../../kit/crypto/random";
import type { Bound } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { userCreatedEntry } from "../audit/event-log";
import { auditFacts, type ClientContext } from "../caller/client-context";
import { issueTokens, type TokenPayload } from "../caller/token";
import { Problem } from "../problem";
import { parseRedirect, redirectKey } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import { insertLoginEvent, type Source, signInBy } from "./sign-in.store";
import { newUsernames } from "./username";

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
  /** what follows the account, e.g. the provider's identity */
  linking: Bound[];
  companyId: number;
  /** the address of the account, also of a new one, and whether this method proves it */
  email: string;
  isProven: boolean;
  /** what a new account begins with */
  profile: { firstName: string; lastName: string; avatarUrl: string | null };
  provider: string;
  /** totals beside that of logins */
  totals: string[];
  redirectTo: string;
  codeChallenge: string | null;
  clientTimezone: string;
  deviceHash: string | null;
};

const LOGINS_TOTAL = "successful_logins";

/** The values on which every statement behind the use depends. */
const useOf = ({ key, nonce }: SignIn) => ({ key, nonce });
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
          by.removeUnprovenIdentities({ ...useOf(signIn), email }),
          by.proveAddress(account),
        ]
      : []),
    ...linking,
  ];
}

/** What opens a session or makes a code: the account, the membership, and the event of a new account under this id. */
function admission(signIn: SignIn, createdId: string) {
  const { source, provider, email, companyId, now } = signIn;
  const data = source === "oauth" ? { oauth_provider: provider } : {};
  return {
    account: accountStatements(signIn),
    membership: signInBy[source].admitUser({ ...accountOf(signIn), companyId }),
    created: userCreatedEntry({ email, companyId, eventId: createdId, source, data, now }),
  };
}

/** The person once everything is written; no row when the race was lost. */
function personAfter(signIn: SignIn): Bound<PersonRow> {
  const { source, email, companyId } = signIn;
  return signInBy[source].findPerson({ ...useOf(signIn), email, companyId });
}

function counted(signIn: SignIn, totals: { name: string; label: string }[], guard: string): Bound[] {
  const { source, companyId } = signIn;
  return totals.map((total) => signInBy[source].count({ ...useOf(signIn), companyId, ...total, guard }));
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
  const createdId = uuid();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const idleEnd = Math.min(now + settings.refreshIdleMs, hardEnd);
  const data = JSON.stringify(await auditOf(services, signIn, client));
  const totals = [...signIn.totals.map((name) => ({ name, label: "" })), { name: LOGINS_TOTAL, label: provider }];
  const ends = { sid, idleEnd, hardEnd };
  const { person } = await batchWithEvents(
    services.webhooks,
    {
      ...admission(signIn, createdId),
      session: signInBy[source].createSession({
        ...accountOf(signIn),
        companyId,
        provider,
        ...ends,
        country,
        userAgent,
      }),
      counted: counted(signIn, totals, eventId),
      entry: insertLoginEvent({ sid, eventId, data, country, city, timezone, now }),
      person: personAfter(signIn),
    },
    [{ id: createdId, company_id: companyId }],
  );
  if (!person.first) return null;
  return issueTokens(services, person.first, { sid, companyId, provider, authTime: now }, 0);
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
  const totals = signIn.totals.map((name) => ({ name, label: "" }));
  const createdId = uuid();
  const { person } = await batchWithEvents(
    services.webhooks,
    {
      ...admission(signIn, createdId),
      counted: counted(signIn, totals, codeHash),
      code: signInBy[source].createCode({
        ...accountOf(signIn),
        companyId,
        provider,
        codeHash,
        redirectTo,
        context: await auditOf(services, signIn, client),
        expiresAt: now + services.settings.authCodeMs,
        redirectKey: redirectKey(target),
        challenge: codeChallenge,
      }),
      person: personAfter(signIn),
    },
    [{ id: createdId, company_id: companyId }],
  );
  return person.first ? code : null;
}

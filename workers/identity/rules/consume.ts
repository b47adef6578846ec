import { hmacHex, sha256Hex } from "../../kit/crypto/hash";
import { randomHex, randomToken, uuid } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";
import type { IdentityServices } from "../services";
import { insertLoginEvent, insertUserCreatedEvent } from "../store/event-log";
import type { PersonRow } from "../store/people";
import {
  admitConsumedUser,
  consumeSignInRequest,
  countConsumed,
  createConsumedCode,
  createConsumedSession,
  createConsumedUser,
  findConsumedPerson,
  type SignInRequestRow,
  verifyConsumedUser,
} from "../store/sign-in-requests";
import { usernameCandidates } from "./join";
import { parseRedirect, redirectKey, type TokenPayload } from "./redirect";
import { issueTokens } from "./tokens";

/** What the client's connection tells about itself; kept with the session and in the audit log (details 11). */
export type ClientContext = { userAgent: string; ip: string; country: string | null; city: string | null };

/** The client of a request: agent cut to 512 characters, country and city from Cloudflare's request properties. */
export function clientContext(request: Request, ip: string): ClientContext {
  const cf: Record<string, unknown> = { ...(request as { cf?: object }).cf };
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    userAgent: (request.headers.get("user-agent") ?? "").slice(0, 512),
    ip,
    country: text(cf.country),
    city: text(cf.city),
  };
}

/** Audit data of a sign-in: hashed address and device, never the address itself. */
export async function auditData(
  services: IdentityServices,
  client: ClientContext,
  more: Record<string, unknown>,
): Promise<string> {
  const hash = await hmacHex((await services.keys()).hashes, `ip\n${client.ip}`);
  return JSON.stringify({
    ...more,
    ip_hash: hash.slice(0, 32),
    user_agent: client.userAgent,
    client_country: client.country,
    client_city: client.city,
  });
}

/** The opening statements of a consume batch; everything behind them depends on the nonce (details 2.5). */
function consumeStatements(services: IdentityServices, row: SignInRequestRow, nonce: string, now: number) {
  const { db } = services;
  const names = usernameCandidates(row.email, randomHex(6));
  return [
    consumeSignInRequest.bind(db, row.id, row.company_id, row.email, now, nonce),
    createConsumedUser.bind(db, row.id, nonce, row.email, now, ...names),
    verifyConsumedUser.bind(db, row.id, nonce, row.email, now),
    admitConsumedUser.bind(db, row.id, nonce, row.email, now, row.company_id),
    insertUserCreatedEvent.bind(db, row.email, row.company_id, uuid(), now, "magic_link"),
  ];
}

/** The totals of a consume; the label of logins is the provider. */
const consumedTotal = "magic_links_consumed";
const loginsTotal = "successful_logins";

function lostRace(): Problem {
  return new Problem("magic_link_invalid");
}

/** Spends the link and opens a session; one batch, one winner. Throws `magic_link_invalid` when the race is lost. */
export async function consumeForSession(
  services: IdentityServices,
  row: SignInRequestRow,
  client: ClientContext,
): Promise<TokenPayload> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const nonce = uuid();
  const sid = uuid();
  const eventId = uuid();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const data = await auditData(services, client, {
    provider: "magic_link",
    client_timezone: row.client_timezone,
    client_device_id_hash: row.device_hash,
  });
  const results = await db.batch<PersonRow[]>([
    ...consumeStatements(services, row, nonce, now),
    createConsumedSession.bind(
      db,
      row.id,
      nonce,
      row.email,
      now,
      row.company_id,
      sid,
      Math.min(now + settings.refreshIdleMs, hardEnd),
      hardEnd,
      client.country,
      client.userAgent,
    ),
    countConsumed.bind(db, row.id, nonce, row.company_id, consumedTotal, "", eventId),
    countConsumed.bind(db, row.id, nonce, row.company_id, loginsTotal, "magic_link", eventId),
    insertLoginEvent.bind(db, sid, eventId, data, client.country, client.city, row.client_timezone, now),
    findConsumedPerson.bind(db, row.id, nonce, row.email, row.company_id),
  ]);
  const person = results.at(-1)?.results[0];
  if (!person) throw lostRace();
  return issueTokens(services, person, { sid, companyId: row.company_id, provider: "magic_link", authTime: now }, 0);
}

/** Spends the link for an auth code that the application redeems (delivery `code`). Answers the raw code. */
export async function consumeForCode(
  services: IdentityServices,
  row: SignInRequestRow,
  client: ClientContext,
): Promise<string> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const nonce = uuid();
  const code = randomToken();
  const codeHash = await sha256Hex(code);
  const target = parseRedirect(row.redirect_to);
  if (!target) throw new Problem("redirect_not_allowed");
  const data = await auditData(services, client, {
    provider: "magic_link",
    client_timezone: row.client_timezone,
    client_device_id_hash: row.device_hash,
  });
  const results = await db.batch<PersonRow[]>([
    ...consumeStatements(services, row, nonce, now),
    countConsumed.bind(db, row.id, nonce, row.company_id, consumedTotal, "", codeHash),
    createConsumedCode.bind(
      db,
      row.id,
      nonce,
      row.email,
      now,
      row.company_id,
      codeHash,
      data,
      now + settings.authCodeMs,
      redirectKey(target),
    ),
    findConsumedPerson.bind(db, row.id, nonce, row.email, row.company_id),
  ]);
  if (!results.at(-1)?.results[0]) throw lostRace();
  return code;
}

import { sha256Hex } from "../../kit/crypto/hash";
import { uuid } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";
import { readAttempt, recordFailure } from "../audit/event-log";
import { insertRedeemedLoginEvent, insertReuseEvent } from "../audit/event-log.store";
import { auditData, type ClientContext } from "../caller/client-context";
import { issueTokens, readRefreshToken } from "../caller/token";
import { challengeOf, checkVerifier } from "../magic-link/magic-link";
import { isRedirectAllowed, redirectKey, type TokenPayload } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import {
  type CodePersonRow,
  countRedeemed,
  createRedeemedSession,
  findLiveSession,
  findPersonOfCode,
  type LiveSessionRow,
  redeemAuthCode,
  revokeReusedSession,
  rotateSession,
  touchMembership,
} from "./session.store";

/** 401 `token_invalid` with its challenge header (details 1.3). */
export function tokenInvalid(): Problem {
  return new Problem("token_invalid", {
    headers: { "www-authenticate": 'Bearer realm="platform", error="invalid_token"' },
  });
}

/** Throws what a member who is not let in gets: 403 `access_pending` or `access_denied`. */
function requireAccess(row: { state: string | null; company_active: number }): void {
  if (row.company_active !== 1 || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
}

/** Exchanges a refresh token (details 4.2): check, reuse detection and rotation are one batch. */
export async function refreshSession(
  services: IdentityServices,
  token: string,
  companyId: number | null,
  client: ClientContext,
): Promise<TokenPayload> {
  const { db, clock, settings, log } = services;
  const read = await readRefreshToken(services, token);
  if (!read) throw tokenInvalid();
  const { sid, counter } = read;
  const now = clock.now();
  const audit = await auditData(services, client, { failure_reason: "refresh_token_reused" });
  const results = await db.batch<[{ counter: number }, { id: string }, unknown, unknown, LiveSessionRow]>([
    rotateSession.bind(db, sid, counter, now, settings.refreshIdleMs, companyId),
    revokeReusedSession.bind(db, sid, counter, now, settings.refreshGraceMs),
    insertReuseEvent.bind(db, sid, now, audit, client.country, client.city),
    touchMembership.bind(db, sid, now),
    findLiveSession.bind(db, sid),
  ]);
  const row = results[4].results[0];
  const rotated = results[0].results[0];
  if (results[1].results.length > 0) {
    log.warn("refresh token reused, session ended", { company_id: row?.company_id });
    throw new Problem("refresh_token_reused");
  }
  if (!row || !isSessionLive(row, now) || row.is_active !== 1 || row.state === null) throw tokenInvalid();
  requireAccess(row);
  if (companyId !== null && companyId !== row.company_id) throw new Problem("company_mismatch");
  const isCurrent = rotated !== undefined;
  const isInGrace = row.counter === counter + 1 && row.rotated_at + settings.refreshGraceMs >= now;
  if (!isCurrent && !isInGrace) throw tokenInvalid();
  const session = { sid, companyId: row.company_id, provider: row.provider, authTime: row.auth_time };
  return issueTokens(services, row, session, row.counter);
}

/** Whether a session row may still be used at `now`. */
export function isSessionLive(row: LiveSessionRow, now: number): boolean {
  return row.revoked_at === null && row.idle_expires_at > now && row.absolute_expires_at > now;
}

type RedeemInput = {
  authCode: string;
  redirectTo: URL;
  verifier: string | undefined;
  companyId: number | null;
};

/** Exchanges an auth code for a session (details 3.2): one batch, one winner; a refused call does not spend the code. */
export async function redeemCode(
  services: IdentityServices,
  input: RedeemInput,
  client: ClientContext,
): Promise<TokenPayload> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const [hash, challenge] = await Promise.all([
    sha256Hex(input.authCode),
    input.verifier === undefined ? null : challengeOf(input.verifier),
  ]);
  const nonce = uuid();
  const sid = uuid();
  const eventId = uuid();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const key = redirectKey(input.redirectTo);
  const { origin } = input.redirectTo;
  // The rules of the allowlist hold to the end (details 3.1, point 4).
  const listedOrigin = isRedirectAllowed(input.redirectTo, false, settings.debug) ? null : origin;
  const results = await db.batch<CodePersonRow[]>([
    redeemAuthCode.bind(db, hash, now, nonce, input.companyId, key, challenge, listedOrigin),
    createRedeemedSession.bind(
      db,
      hash,
      now,
      nonce,
      sid,
      Math.min(now + settings.refreshIdleMs, hardEnd),
      hardEnd,
      client.country,
      client.userAgent,
    ),
    countRedeemed.bind(db, hash, nonce, "successful_logins", eventId),
    findPersonOfCode.bind(db, hash, origin),
    insertRedeemedLoginEvent.bind(db, sid, eventId, hash, now),
  ]);
  const row = results[3]?.results[0];
  if (!row) throw new Problem("auth_code_invalid");
  if (row.redeem_nonce !== nonce) {
    const refusal = await refusalOf(row, input, { key, now, debug: settings.debug });
    recordFailure(services, client, {
      company: { id: row.company_id },
      person: row,
      request: readAttempt(row.client_context),
      reason: refusal.code,
      provider: row.provider,
    });
    throw refusal;
  }
  const session = { sid, companyId: row.company_id, provider: row.provider, authTime: row.auth_time };
  return issueTokens(services, row, session, 0);
}

/** Why a code that is there was not spent. */
async function refusalOf(
  row: CodePersonRow,
  input: RedeemInput,
  at: { key: string; now: number; debug: boolean },
): Promise<Problem> {
  const { key, now, debug } = at;
  const invalid = new Problem("auth_code_invalid");
  if (row.redeemed_at !== null || row.expires_at <= now || row.redirect_key !== key) return invalid;
  if (input.companyId !== null && row.company_id !== input.companyId) return invalid;
  if (!isRedirectAllowed(input.redirectTo, row.is_listed === 1, debug)) return new Problem("redirect_not_allowed");
  try {
    await checkVerifier(row.code_challenge, input.verifier);
    if (row.is_active !== 1 || row.state === null) throw new Problem("access_denied");
    requireAccess(row);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return invalid;
}

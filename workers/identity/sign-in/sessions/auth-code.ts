import { sha256Hex } from "../../../kit/crypto/hash";
import { uuid } from "../../../kit/ids";
import type { ClientContext } from "../../caller/client/client-context";
import { requireAccess } from "../../caller/credentials/credential";
import { issueTokens, type TokenPayload } from "../../caller/credentials/token";
import { isRedirectAllowed, redirectKey } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import { readSignInFacts, recordFailure } from "../../records/audit/login-failure";
import type { IdentityServices } from "../../services";
import { challengeOf, checkVerifier } from "../completion/code-challenge";
import { newDeviceNotice, sendNewDeviceMail } from "../new-device/new-device";
import {
  type CodeUserRow,
  createRedeemedSession,
  findUserOfCode,
  insertRedeemedLoginEvent,
  redeemAuthCode,
} from "./auth-code.store";

type RedeemInput = {
  authCode: string;
  redirectTo: URL;
  verifier: string | undefined;
  companyId: number | null;
};

/**
 * Exchanges an auth code for a session in one batch. Only one of several parallel requests succeeds. A rejected request does
 * not consume the code.
 */
export async function redeemCode(
  services: IdentityServices,
  input: RedeemInput,
  client: ClientContext,
): Promise<TokenPayload> {
  const { db, clock, settings } = services;
  const { authCode, redirectTo, verifier, companyId } = input;
  const now = clock.now();
  const [codeHash, challenge] = await Promise.all([
    sha256Hex(authCode),
    verifier === undefined ? null : challengeOf(verifier),
  ]);
  const nonce = uuid();
  const sid = uuid();
  const eventId = services.newEventId();
  const hardEnd = now + settings.sessionAbsoluteMs;
  const idleEnd = Math.min(now + settings.refreshIdleMs, hardEnd);
  const key = redirectKey(redirectTo);
  const { origin } = redirectTo;
  const { country, userAgent } = client;
  // Checks the allowlist again, so that a redirect to an origin that was removed meanwhile gets no session.
  const listedOrigin = isRedirectAllowed(redirectTo, false, settings.debug) ? null : origin;
  const { code } = await db.batch({
    redeemed: redeemAuthCode({ codeHash, now, nonce, companyId, redirectKey: key, challenge, origin: listedOrigin }),
    session: createRedeemedSession({ codeHash, now, nonce, sid, idleEnd, hardEnd, country, userAgent }),
    code: findUserOfCode({ codeHash, origin }),
    entry: insertRedeemedLoginEvent({ sid, eventId, codeHash, now }),
    notice: newDeviceNotice(services, sid, now),
  });
  const row = code.first;
  if (!row) throw new Problem("auth_code_invalid");
  if (row.redeem_nonce !== nonce) {
    const refusal = await refusalOf(row, input, { key, now, debug: settings.debug });
    recordFailure(services, client, {
      company: { id: row.company_id },
      user: row,
      request: readSignInFacts(row.client_context),
      reason: refusal.code,
      provider: row.provider,
    });
    throw refusal;
  }
  sendNewDeviceMail(services, sid, row.notify_new_device);
  const session = { sid, companyId: row.company_id, provider: row.provider, authTime: row.auth_time };
  return issueTokens(services, row, session, 0);
}

/** Returns the reason why an existing code was not redeemed. */
async function refusalOf(
  row: CodeUserRow,
  input: RedeemInput,
  check: { key: string; now: number; debug: boolean },
): Promise<Problem> {
  const { key, now, debug } = check;
  const invalid = new Problem("auth_code_invalid");
  if (row.redeemed_at !== null || row.expires_at <= now || row.redirect_key !== key) return invalid;
  if (input.companyId !== null && row.company_id !== input.companyId) return invalid;
  if (!isRedirectAllowed(input.redirectTo, row.is_listed, debug)) return new Problem("redirect_not_allowed");
  try {
    await checkVerifier(row.code_challenge, input.verifier);
    if (!row.is_active || row.state === null) throw new Problem("access_denied");
    requireAccess(row);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return invalid;
}

import type { PatRow } from "../../../../db/identity/schema";
import { randomHex } from "../../../kit/crypto/random";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { toCounters } from "../../../kit/limits/limiter";
import { invalid } from "../../../kit/problem";
import { SECOND_MS } from "../../../kit/time";
import { rateLimited } from "../../caller/client/limits";
import type { Caller } from "../../caller/credentials/caller";
import { tokenInvalid } from "../../caller/credentials/credential";
import { signPat } from "../../caller/credentials/token";
import { Problem } from "../../problem";
import { changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import {
  changePat,
  countLivePats,
  findPat,
  insertPat,
  MAX_LIVE,
  type PatWithParentRow,
  reissuePat,
  revokePat,
} from "./personal-access-token.store";

/** A token with its JWT, which is returned only once. */
type IssuedPat = { row: PatRow; accessToken: string };

/** The caller and their request. */
type CallContext = { request: Request; caller: Caller };

/** The caller, their request and the token they use or change. */
type PatContext = CallContext & { row: PatWithParentRow };

/** Counts a write against the caller's rate limit for tokens. Throws 429 `rate_limited`. */
export async function limitPatWrites(services: IdentityServices, { user }: Caller): Promise<void> {
  const counters = toCounters("personal-access-tokens", services.settings.rates.pat);
  const decision = await services.limiter.reserve(`user:${user.id}`, counters);
  if (!decision.ok) throw rateLimited(decision);
}

/**
 * Returns the token, or null (404) when it is unknown or belongs to another company than `companyId`, the company of the
 * request. Staff whose request is for the company of their own credential may access the tokens of every company. Throws 403
 * `forbidden` for a member who is neither the holder nor an owner.
 */
export function requirePat(caller: Caller, companyId: number, row: PatWithParentRow | null): PatWithParentRow | null {
  if (row === null) return null;
  const isOfOtherCompany = row.company_id !== companyId;
  if (isOfOtherCompany && !(caller.isStaff && companyId === caller.companyId)) return null;
  if (!isHolder(caller, row) && !caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
  return row;
}

/** Returns whether the caller is the holder of the token. */
export function isHolder(caller: Caller, row: PatRow): boolean {
  return caller.user.id === row.user_id;
}

/**
 * Throws 403 `forbidden` when the caller may not change the global metrics flag. Only staff may change it. A token without
 * the flag may not set it, because a token must not grant more rights than it has. `requested` is the raw value in the body.
 */
export function requireFlagPermission(caller: Caller, requested: unknown, current: boolean): void {
  if (typeof requested !== "boolean" || (!requested && !current)) return;
  const refuse = (code: string) => new Problem("forbidden", { field_errors: { access_global_metrics: [code] } });
  if (!caller.isStaff) throw refuse("staff_only");
  if (requested && caller.credential.kind === "pat" && !caller.credential.seesGlobalMetrics)
    throw refuse("not_allowed");
}

/**
 * Creates a token for the caller in the company of their credential. Throws 409 `limit_reached` when the caller has 50 live
 * tokens. Makes one round trip to the database.
 */
export async function createPat(
  services: IdentityServices,
  context: CallContext,
  input: { name: string; read_only: boolean; access_global_metrics: boolean; expires_in?: number | undefined },
): Promise<IssuedPat> {
  const { name, read_only: readOnly, access_global_metrics: flag } = input;
  const token = { id: uuid(), jti: randomHex(16), end: endOf(services, context.caller, input.expires_in, null) };
  const change = insertPat({ ...issuer(services, context.caller), ...token, name, readOnly, flag });
  return issue(services, context, token, "created", change);
}

/**
 * Reissues a token of the caller. Its previous JWT is invalid at once. Throws 403 `forbidden` when the caller is not the
 * holder, or uses a token without the global metrics flag to reissue one with the flag. Throws 403 `company_mismatch` for a
 * token of another company, 409 `conflict` when the token is revoked or its parent has expired, and 409 `limit_reached` when
 * the token has expired and the caller has 50 live tokens.
 */
export async function reissuePatOf(
  services: IdentityServices,
  { row, ...context }: PatContext,
  expiresIn: number | undefined,
): Promise<IssuedPat> {
  const { caller } = context;
  const { credential } = caller;
  if (!isHolder(caller, row)) throw new Problem("forbidden");
  if (row.company_id !== caller.companyId) throw new Problem("company_mismatch");
  // The reissued JWT contains the flag, so a token without the flag must not reissue a token that has it.
  const lacksFlag = credential.kind === "pat" && credential.id !== row.id && !credential.seesGlobalMetrics;
  if (lacksFlag && row.access_global_metrics) throw new Problem("forbidden");
  const end = endOf(services, caller, expiresIn, row.parent_expires_at);
  if (row.revoked_at !== null || end <= services.clock.now()) throw new Problem("conflict");
  const token = { id: row.id, jti: randomHex(16), end };
  return issue(services, context, token, "reissued", reissuePat({ ...issuer(services, caller), ...token }));
}

/** Returns company, user, time and credential for the statements that issue a token. */
function issuer({ clock }: IdentityServices, { companyId, user, credential }: Caller) {
  const credentialIds =
    credential.kind === "session"
      ? { sid: credential.sid, callerId: null, callerJti: null }
      : { sid: null, callerId: credential.id, callerJti: credential.jti };
  return { companyId, userId: user.id, now: clock.now(), ...credentialIds };
}

/**
 * Returns the expiry of a token in unix ms, rounded down to a whole second. It is never later than the expiry of the caller's
 * token or of the parent token.
 */
function endOf(
  { settings, clock }: IdentityServices,
  { credential }: Caller,
  expiresIn: number | undefined,
  parentEnd: number | null,
): number {
  const lifeMs = expiresIn === undefined ? settings.patMs : expiresIn * SECOND_MS;
  if (lifeMs > settings.patMs) throw invalid({ expires_in: ["out_of_range"] });
  const end = Math.floor((clock.now() + lifeMs) / SECOND_MS) * SECOND_MS;
  return Math.min(end, parentEnd ?? end, credential.kind === "pat" ? credential.expiresAt : end);
}

/** Runs the change and inserts its audit entry in one batch. Signs the JWT if the row then has the new `jti`. */
async function issue(
  services: IdentityServices,
  context: CallContext,
  { id, jti }: { id: string; jti: string },
  verb: "created" | "reissued",
  change: Bound,
): Promise<IssuedPat> {
  const { db, clock } = services;
  const { companyId, user } = context.caller;
  const entry = await patEntry(services, context, verb, { id, user_id: user.id, company_id: companyId });
  const { pat, live } = await db.batch({
    changed: followedBy(change, entry),
    pat: findPat({ id }),
    live: countLivePats({ companyId, userId: user.id, now: clock.now() }),
  });
  const row = pat.first;
  if (row?.jti === jti) return { row, accessToken: await signPat(services, user, row) };
  if (row && row.revoked_at !== null) throw new Problem("conflict");
  if ((live.first?.count ?? 0) >= MAX_LIVE) throw new Problem("limit_reached");
  // The caller's credential ended between its check and this statement.
  throw tokenInvalid();
}

/** Revokes a token and the tokens that were created with it. Idempotent. */
export async function revokePatOf(services: IdentityServices, { row, ...context }: PatContext): Promise<PatRow> {
  const { db, clock } = services;
  const { id } = row;
  const entry = await patEntry(services, context, "revoked", row);
  const { pat } = await db.batch({
    revoked: followedBy(revokePat({ id, now: clock.now() }), entry),
    pat: findPat({ id }),
  });
  return pat.first ?? row;
}

/**
 * Changes name and global metrics flag. The route has checked the permission: holders may change the name, staff may change
 * the name and the flag of any token.
 */
export async function changePatOf(
  services: IdentityServices,
  { row, ...context }: PatContext,
  input: { name?: string | undefined; access_global_metrics?: boolean | undefined },
): Promise<PatRow> {
  const { id } = row;
  const staffId = context.caller.user.id;
  const { name = null, access_global_metrics: flag = null } = input;
  const isRenamed = name !== null && name !== row.name;
  const isFlagChanged =
    flag !== null && (flag !== row.access_global_metrics || (flag ? staffId : null) !== row.agm_set_by);
  if (!isRenamed && !isFlagChanged) return row;
  const entry = await patEntry(services, context, "updated", row, {
    changed_fields: [...(isRenamed ? ["name"] : []), ...(isFlagChanged ? ["access_global_metrics"] : [])],
    ...(isFlagChanged ? { access_global_metrics: flag } : {}),
  });
  const { pat } = await services.db.batch({
    changed: followedBy(changePat({ id, name, flag: isFlagChanged ? flag : null, staffId }), entry),
    pat: findPat({ id }),
  });
  return pat.first ?? row;
}

/** Returns the statement that inserts the audit entry into the log of the token's company. */
function patEntry(
  services: IdentityServices,
  { request, caller }: CallContext,
  verb: "created" | "reissued" | "revoked" | "updated",
  token: Pick<PatRow, "id" | "user_id" | "company_id">,
  details: Record<string, unknown> = {},
): Promise<Bound> {
  return changeEntry(services, request, {
    caller,
    companyId: token.company_id,
    type: `identity.personal_access_token.${verb}`,
    data: { token_id: token.id, holder_id: token.user_id, ...details },
  });
}

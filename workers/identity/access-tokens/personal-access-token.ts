import { randomHex } from "../../kit/crypto/random";
import type { LateBody } from "../../kit/http/request/body";
import { uuid } from "../../kit/ids";
import { invalid, Problem } from "../../kit/problem";
import { noteChange } from "../audit/event-log";
import { admit, type Caller } from "../caller/caller";
import type { PatRow } from "../caller/credential.store";
import { signPat } from "../caller/token";
import type { IdentityServices } from "../services";
import { tokenInvalid } from "../sessions/session";
import {
  changePat,
  countLivePats,
  type FoundPatRow,
  findPat,
  insertPat,
  reissuePat,
  revokePat,
} from "./personal-access-token.store";

const maxLive = 50;

/** A token with its JWT, which is shown this once. */
type IssuedPat = { row: PatRow; accessToken: string };

/**
 * Admits a call about one token (details 1.3, 9): 404 for an unknown one and for that of another company, which only
 * staff reach; 403 `forbidden` for a member who is neither its holder nor an owner.
 */
export async function admitToPat(
  services: IdentityServices,
  request: Request,
  id: string,
  body?: LateBody,
): Promise<{ caller: Caller; row: FoundPatRow }> {
  const { caller, company, results } = await admit<[FoundPatRow]>(services, request, "member", {
    ...(body ? { body } : {}),
    reads: () => [findPat.bind(services.db, id)],
  });
  const row = results[0].results[0];
  const isOfOtherCompany = row?.company_id !== company.id;
  if (!row || (isOfOtherCompany && !(caller.isStaff && company.id === caller.companyId))) {
    throw new Problem("not_found");
  }
  if (!isHolder(caller, row) && !caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
  return { caller, row };
}

/** Whether the token is the caller's own. */
export function isHolder(caller: Caller, row: PatRow): boolean {
  return caller.person.id === row.user_id;
}

/**
 * The flag of global metrics is for staff (details 9, point 2): 403 when another raises or changes it, and when it is
 * raised with a token that has no such power itself, since no token gives more than it has. `wanted` is the raw value.
 */
export function requireFlagRight(caller: Caller, wanted: unknown, present: boolean): void {
  if (typeof wanted !== "boolean" || (!wanted && !present)) return;
  const refuse = (code: string) => new Problem("forbidden", { field_errors: { access_global_metrics: [code] } });
  if (!caller.isStaff) throw refuse("staff_only");
  if (wanted && caller.credential.kind === "pat" && !caller.credential.seesGlobalMetrics) throw refuse("not_allowed");
}

/** Makes a token of the caller in the company of their credential. 409 `limit_reached` when 50 live. Two round trips. */
export async function createPat(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  input: { name: string; read_only: boolean; access_global_metrics: boolean; expires_in?: number | undefined },
): Promise<IssuedPat> {
  const { db } = services;
  const [id, jti] = [uuid(), randomHex(16)];
  const { name, read_only, access_global_metrics } = input;
  const end = endOf(services, caller, input.expires_in, null);
  return issue(services, request, caller, id, jti, "created", [
    insertPat.bind(db, id, ...issuer(services, caller), jti, name, read_only, access_global_metrics, end),
  ]);
}

/**
 * Issues a token of the caller again; the older JWT ends at once (details 9). 409 `conflict` when it is revoked, or over
 * together with the token that made it; 409 `limit_reached` when it is over and 50 others live.
 */
export async function reissueOwnPat(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  row: FoundPatRow,
  expiresIn: number | undefined,
): Promise<IssuedPat> {
  const { db, clock } = services;
  const { credential } = caller;
  if (!isHolder(caller, row)) throw new Problem("forbidden");
  if (row.company_id !== caller.companyId) throw new Problem("company_mismatch");
  // A raised flag reaches a token by re-issue, but not by way of another token that has no such power.
  const isByOther = credential.kind === "pat" && credential.id !== row.id && !credential.seesGlobalMetrics;
  if (isByOther && row.access_global_metrics === 1) throw new Problem("forbidden");
  const end = endOf(services, caller, expiresIn, row.parent_expires_at);
  if (row.revoked_at !== null || end <= clock.now()) throw new Problem("conflict");
  const jti = randomHex(16);
  return issue(services, request, caller, row.id, jti, "reissued", [
    reissuePat.bind(db, row.id, ...issuer(services, caller), jti, end),
  ]);
}

/** Company, user, now and credential of a call that issues, as the statements of the store take them. */
function issuer(services: IdentityServices, { companyId, person, credential }: Caller) {
  const own = credential.kind === "session" ? [credential.sid, null, null] : [null, credential.id, credential.jti];
  return [companyId, person.id, services.clock.now(), ...own] as const;
}

/** The end of a token in whole seconds (unix ms): what a token issues never outlives it, nor the one that made it. */
function endOf(
  { settings, clock }: IdentityServices,
  { credential }: Caller,
  expiresIn: number | undefined,
  parentEnd: number | null,
): number {
  const lifeMs = expiresIn === undefined ? settings.patMs : expiresIn * 1000;
  if (lifeMs > settings.patMs) throw invalid({ expires_in: ["out_of_range"] });
  const end = Math.floor((clock.now() + lifeMs) / 1000) * 1000;
  return Math.min(end, parentEnd ?? end, credential.kind === "pat" ? credential.expiresAt : end);
}

/** Runs the change with its audit entry, and signs when the row holds the new `jti`. */
async function issue(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  id: string,
  jti: string,
  what: "created" | "reissued",
  change: D1PreparedStatement[],
): Promise<IssuedPat> {
  const { db, clock } = services;
  const { companyId, person } = caller;
  const results = await db.batch<[...unknown[], FoundPatRow, { count: number }]>([
    ...change,
    await notePat(services, request, caller, what, { id, user_id: person.id, company_id: companyId }),
    findPat.bind(db, id),
    countLivePats.bind(db, companyId, person.id, clock.now()),
  ]);
  const row = results.at(-2)?.results[0] as FoundPatRow | undefined;
  if (row?.jti === jti) return { row, accessToken: await signPat(services, person, row) };
  if (row && row.revoked_at !== null) throw new Problem("conflict");
  const live = (results.at(-1)?.results[0] as { count: number } | undefined)?.count ?? 0;
  if (live >= maxLive) throw new Problem("limit_reached");
  // The caller's own credential ended between its check and this statement.
  throw tokenInvalid();
}

/** Ends a token and those made with it; again is the same (details 9). */
export async function revokeRow(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  row: PatRow,
): Promise<PatRow> {
  const { db, clock } = services;
  const [, , found] = await db.batch<[unknown, unknown, FoundPatRow]>([
    revokePat.bind(db, row.id, clock.now()),
    await notePat(services, request, caller, "revoked", row),
    findPat.bind(db, row.id),
  ]);
  return found.results[0] ?? row;
}

/** Changes name and flag: the holder the name, staff both and of any token. */
export async function changeRow(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  row: PatRow,
  input: { name?: string | undefined; access_global_metrics?: boolean | undefined },
): Promise<PatRow> {
  const { db } = services;
  const { name = null, access_global_metrics: flag = null } = input;
  const isRenamed = name !== null && name !== row.name;
  const setBy = flag ? caller.person.id : null;
  const isFlagged = flag !== null && (flag !== (row.access_global_metrics === 1) || setBy !== row.agm_set_by);
  if (!isRenamed && !isFlagged) return row;
  const changed_fields = [...(isRenamed ? ["name"] : []), ...(isFlagged ? ["access_global_metrics"] : [])];
  const [, , found] = await db.batch<[unknown, unknown, FoundPatRow]>([
    changePat.bind(db, row.id, name, isFlagged ? flag : null, caller.person.id),
    await notePat(services, request, caller, "updated", row, {
      changed_fields,
      ...(isFlagged ? { access_global_metrics: flag } : {}),
    }),
    findPat.bind(db, row.id),
  ]);
  return found.results[0] ?? row;
}

/** The audit entry of a change of a token, in the log of the token's company. */
function notePat(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  what: "created" | "reissued" | "revoked" | "updated",
  token: Pick<PatRow, "id" | "user_id" | "company_id">,
  more: Record<string, unknown> = {},
): Promise<D1PreparedStatement> {
  return noteChange(services, request, {
    caller,
    companyId: token.company_id,
    type: `identity.personal_access_token.${what}`,
    data: { token_id: token.id, holder_id: token.user_id, ...more },
  });
}

import type { ActiveCaller, IdentityRpcMethods, IntrospectInput, IntrospectResult } from "../../../schemas/rpc";
import { companyScope } from "../http/request/company-scope";
import { clientNetwork } from "../limits/client-ip";
import { type Limiter, toCounters, toRetryAfterSeconds } from "../limits/limiter";
import { errorName, type Log } from "../log";
import { Problem } from "../problem";
import type { Rate } from "../settings/setting-types";
import { withTimeout } from "../timeout";
import { type AccessToken, verifyAccessToken } from "./access-token";
import { type KeySet, KeySetError } from "./jwks";

/**
 * A user authenticated by an access token. The roles are current for mutations and for personal access tokens (PAT);
 * otherwise they come from the token.
 */
export type AdminCaller = AccessToken;

/** The dependencies of the caller checks. */
export type CallerServices = {
  settings: { identity: { issuer: string; audience: string }; rates: { mutation: Rate | null } };
  identity: { rpc: Pick<IdentityRpcMethods, "introspect">; keySet: KeySet };
  limiter: Limiter;
  log: Log;
};

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const INTROSPECT_TIMEOUT_MS = 5000;

/** Returns the 401 `unauthorized` with its `WWW-Authenticate` challenge. */
export function unauthorized(cause?: unknown): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": "Bearer" }, cause });
}

/** Returns the bearer token of the request; throws 401 without one. */
export function readBearer(request: Request): string {
  const match = /^Bearer +([^\s,]{1,8192})$/i.exec(request.headers.get("authorization")?.trim() ?? "");
  if (match?.[1] === undefined) throw unauthorized();
  return match[1];
}

/**
 * Authenticates a user by access token, and rejects a mutation with a read-only PAT. For every PAT and every mutation, it
 * asks identity whether the token is live and which roles the user has now. These responses are not cached. Throws 401 for
 * an invalid token, 403 for a read-only PAT or a user without a company, and 503 when identity does not respond.
 */
export async function requireAdmin(request: Request, services: CallerServices): Promise<AdminCaller> {
  const bearer = readBearer(request);
  const token = await verify(bearer, services);
  if (token === null) throw unauthorized();
  const isMutation = !SAFE_METHODS.includes(request.method);
  const caller = token.kind === "pat" || isMutation ? await introspect(bearer, request, services) : token;
  if (caller.companyId === null && !caller.isStaff) throw new Problem("forbidden");
  return caller;
}

/** A user and the company of their token. */
export type MemberCaller = AdminCaller & { companyId: number };

/**
 * A member with a valid token. `live` resolves to the member with current roles, or rejects when access has ended. Do
 * not change or return anything before it resolves.
 */
export type AuthorizedMember = { caller: MemberCaller; live: Promise<MemberCaller> };

/**
 * Authorizes a member of the token's company. For a mutation the live check runs in parallel with the caller's first read,
 * so it adds no round trip. A read with a session token makes no request to identity; a PAT is introspected first.
 * Throws 401, 403 or 503.
 */
export async function authorizeMember(
  request: Request,
  services: Omit<CallerServices, "limiter">,
): Promise<AuthorizedMember> {
  const bearer = readBearer(request);
  const token = await verify(bearer, services);
  if (token === null) throw unauthorized();
  if (token.kind === "pat") {
    const caller = toMember(await introspect(bearer, request, services));
    return { caller, live: Promise.resolve(caller) };
  }
  if (SAFE_METHODS.includes(request.method)) {
    const caller = toMember(token);
    return { caller, live: Promise.resolve(caller) };
  }
  const introspected = introspect(bearer, request, services);
  const live = introspected.then(toMember);
  // The caller awaits the promise together with its read; this handler only prevents an unhandled rejection.
  live.catch(() => {});
  try {
    return { caller: toMember(token), live };
  } catch (error) {
    await introspected;
    throw error;
  }
}

/**
 * Awaits the first read of a member's call together with the live check. When both fail, throws the error of the live
 * check, because authorization errors take precedence.
 */
export async function withLiveCheck<T>({ live }: { live: Promise<unknown> }, read: Promise<T>): Promise<T> {
  const [member, result] = await Promise.allSettled([live, read]);
  if (member.status === "rejected") throw member.reason;
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

function toMember(caller: AdminCaller): MemberCaller {
  if (caller.companyId === null && !caller.isStaff) throw new Problem("forbidden");
  return { ...caller, companyId: companyScope({ token: caller.companyId }) };
}

/** Counts a user's mutation against `API_MUTATION_RATE_LIMIT`; throws 429 `rate_limited`. */
export async function limitMutation(services: CallerServices, caller: AdminCaller): Promise<void> {
  const counters = toCounters("mutations", services.settings.rates.mutation);
  const decision = await services.limiter.reserve(`user:${caller.userId}`, counters);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

async function verify(
  bearer: string,
  services: Pick<CallerServices, "settings" | "identity">,
): Promise<AccessToken | null> {
  const { issuer, audience } = services.settings.identity;
  try {
    return await verifyAccessToken(bearer, { keySet: services.identity.keySet, issuer, audience });
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error;
    throw new Problem("service_unavailable", { cause: error });
  }
}

async function introspect(
  token: string,
  request: Request,
  services: Pick<CallerServices, "identity" | "log">,
): Promise<AdminCaller> {
  const network = clientNetwork(request);
  const input = { token, method: request.method, ...(network === null ? {} : { network }) };
  const result = await requestIntrospection(input, services);
  if (!result.active) {
    if (result.status === 401) throw unauthorized();
    throw new Problem(result.error_code === "pat_read_only" ? "pat_read_only" : "forbidden");
  }
  return toAdminCaller(result);
}

async function requestIntrospection(
  input: IntrospectInput,
  services: Pick<CallerServices, "identity" | "log">,
): Promise<IntrospectResult> {
  try {
    return await withTimeout(services.identity.rpc.introspect(input), INTROSPECT_TIMEOUT_MS);
  } catch (cause) {
    services.log.warn("introspection failed", { cause: errorName(cause) });
    throw new Problem("service_unavailable", { cause });
  }
}

function toAdminCaller(active: ActiveCaller): AdminCaller {
  return {
    kind: active.kind,
    userId: active.user_id,
    // An id below 1 means that the caller has no company. The request must then name one.
    companyId: active.company_id >= 1 ? active.company_id : null,
    email: active.email,
    isStaff: active.is_staff,
    isOwner: active.is_company_owner,
    seesAllMetrics: active.pat_agm === true,
  };
}

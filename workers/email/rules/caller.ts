import type { ActiveCaller, IntrospectInput, IntrospectResult } from "../../../schemas/rpc";
import { type AccessToken, verifyAccessToken } from "../../kit/auth/access-token";
import { KeySetError } from "../../kit/auth/jwks";
import { sha256Hex } from "../../kit/crypto/hash";
import { companyScope } from "../../kit/http/company-scope";
import { clientNetwork } from "../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../kit/limits/limiter";
import { errorName } from "../../kit/log";
import { Problem } from "../../kit/problem";
import type { EmailServices } from "../services";
import { activeKeyOf, type ServiceClientRow } from "../store/service-clients";
import { isServiceKey, readServiceClient, type ServiceClient, touchLater } from "./service-client";

/** A person behind an access token; roles are live where the call is a mutation or the token a PAT. */
export type AdminCaller = AccessToken;

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const INTROSPECT_TIMEOUT_MS = 5000;

/** 401 `unauthorized` with its challenge (email details 1.2). */
export function unauthorized(cause?: unknown): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": "Bearer" }, cause });
}

/** The bearer of the request; 401 without one. */
export function readBearer(request: Request): string {
  const match = /^Bearer +([^\s,]{1,8192})$/i.exec(request.headers.get("authorization")?.trim() ?? "");
  if (match?.[1] === undefined) throw unauthorized();
  return match[1];
}

/** The service client of an `esk_` bearer; 401 for anything else. One round trip. */
export async function requireServiceKey(request: Request, services: EmailServices): Promise<ServiceClient> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  const now = services.clock.now();
  const row = await services.db.first<ServiceClientRow>(activeKeyOf.bind(services.db, await sha256Hex(bearer), now));
  const client = readServiceClient(row);
  if (client === null) throw unauthorized();
  touchLater(services, client, now);
  return client;
}

/**
 * Steps 1 and 2 of email details 1.2 for an admin route: a valid access token, no mutation with a read-only PAT. Every
 * PAT and every mutation is introspected at identity, which knows first whether the token is still live, then what it
 * may do, and gives live flags. A service key is 401. 503 without an answer.
 */
export async function requireAdmin(request: Request, services: EmailServices): Promise<AdminCaller> {
  const bearer = readBearer(request);
  if (isServiceKey(bearer)) throw unauthorized();
  const token = await verify(bearer, services);
  if (token === null) throw unauthorized();
  const isMutation = !SAFE_METHODS.includes(request.method);
  const caller = token.kind === "pat" || isMutation ? await introspect(bearer, request, services) : token;
  if (caller.companyId === null && !caller.isStaff) throw new Problem("forbidden");
  return caller;
}

/**
 * Steps 3 and 4: the company of the call (email details 1.3), then the role in it. `owner` takes staff and the owner of
 * that company; `staff` only staff, and then the scope is the caller's business.
 */
export function requireOwner(caller: AdminCaller, scope: { query?: string | undefined; body?: unknown }): number {
  const companyId = companyScope({ ...scope, token: caller.companyId, isStaff: caller.isStaff });
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  return companyId;
}

/** 403 `forbidden` for everybody but staff. */
export function requireStaff(caller: AdminCaller): void {
  if (!caller.isStaff) throw new Problem("forbidden");
}

/** Whether the caller is staff or owns that company. */
export function isOwnerOf(caller: AdminCaller, companyId: number): boolean {
  return caller.isStaff || (caller.isOwner && caller.companyId === companyId);
}

/** Counts an admin mutation: `API_MUTATION_RATE_LIMIT` per user, 429 `rate_limited` (email details 1.2). */
export async function limitMutation(services: EmailServices, caller: AdminCaller): Promise<void> {
  const counters = toCounters("mutations", services.settings.rates.mutation);
  const decision = await services.limiter.reserve(`user:${caller.userId}`, counters);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

async function verify(bearer: string, services: EmailServices): Promise<AccessToken | null> {
  const { issuer, audience } = services.settings.identity;
  try {
    return await verifyAccessToken(bearer, { keySet: services.identity.keySet, issuer, audience });
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error;
    throw new Problem("service_unavailable", { cause: error });
  }
}

async function introspect(token: string, request: Request, services: EmailServices): Promise<AdminCaller> {
  const network = clientNetwork(request);
  const input = { token, method: request.method, ...(network === null ? {} : { network }) };
  const answer = await askIdentity(input, services);
  if (!answer.active) {
    if (answer.status === 401) throw unauthorized();
    throw new Problem(answer.error_code === "pat_read_only" ? "pat_read_only" : "forbidden");
  }
  return fromActive(answer);
}

async function askIdentity(input: IntrospectInput, services: EmailServices): Promise<IntrospectResult> {
  let stop = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("identity did not answer in time")), INTROSPECT_TIMEOUT_MS);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([services.identity.rpc.introspect(input), late]);
  } catch (cause) {
    services.log.warn("introspection failed", { cause: errorName(cause) });
    throw new Problem("service_unavailable", { cause });
  } finally {
    stop();
  }
}

function fromActive(active: ActiveCaller): AdminCaller {
  return {
    kind: active.kind,
    userId: active.user_id,
    // What is below 1 is no company: the call then has to name one (email details 1.3).
    companyId: active.company_id >= 1 ? active.company_id : null,
    email: active.email,
    isStaff: active.is_staff,
    isOwner: active.is_company_owner,
    seesAllMetrics: active.pat_agm === true,
  };
}

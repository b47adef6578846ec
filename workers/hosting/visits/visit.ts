import { sha256Hex } from "../../kit/crypto/hash";
import { randomToken } from "../../kit/crypto/random";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import type { HostingServices } from "../services";
import { addVisit, deleteExpiredVisits, findVisit, openVisit } from "./visit.store";

/** The path of visit links on the host of a deployment. */
export const VISIT_PATH = "/.platform/visit";

/** How long a link can be opened, and how long the visit lasts after that. */
const LINK_MS = 10 * MINUTE_MS;
const VISIT_MS = HOUR_MS;

const CHECK_MS = 5 * SECOND_MS;
const IDENTITY_TIMEOUT_MS = 5000;
const MAX_CACHED = 1000;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/u;

/** A deployment that members visit. */
type Visited = { deployment_id: string; company_id: number };

/** Results of this isolate by cookie and deployment. */
const cache = new Map<string, { isAllowed: boolean; checkedAt: number }>();

/** Creates a visit of a member and returns the token of its link, which can be opened once within 10 minutes. */
export async function createVisit(
  services: HostingServices,
  { deployment_id, company_id }: Visited,
  userId: number,
): Promise<string> {
  const now = services.clock.now();
  const token = randomToken();
  await services.dbOf(company_id).batch({
    expired: deleteExpiredVisits({ now }),
    visit: addVisit({
      tokenHash: await sha256Hex(token),
      deploymentId: deployment_id,
      companyId: company_id,
      userId,
      expiresAt: now + LINK_MS,
    }),
  });
  return token;
}

/** Opens a visit link and returns the `Set-Cookie` header of the visit, or null when the link is unknown, expired or was opened. */
export async function startVisit(
  services: HostingServices,
  { deployment_id, company_id }: Visited,
  token: string,
): Promise<string | null> {
  if (!tokenPattern.test(token)) return null;
  const now = services.clock.now();
  const session = randomToken();
  const visit = await services.dbOf(company_id).first(
    openVisit({
      tokenHash: await sha256Hex(token),
      deploymentId: deployment_id,
      sessionHash: await sha256Hex(session),
      expiresAt: now + VISIT_MS,
      now,
    }),
  );
  if (visit === null) return null;
  const attributes = `Path=/; Max-Age=${VISIT_MS / SECOND_MS}; HttpOnly; SameSite=Lax`;
  return `${cookieName(services)}=${session}; ${attributes}${isSecure(services) ? "; Secure" : ""}`;
}

/**
 * Returns whether the request has the cookie of a visit of this deployment by a current member of its company. Checked with D1 and
 * identity once in five seconds for each visit and isolate. Throws when identity does not respond.
 */
export async function isVisitor(services: HostingServices, request: Request, deployment: Visited): Promise<boolean> {
  const session = readCookie(request, cookieName(services));
  if (session === null) return false;
  const now = services.clock.now();
  const sessionHash = await sha256Hex(session);
  const key = `${sessionHash} ${deployment.deployment_id}`;
  const cached = cache.get(key);
  if (cached !== undefined && now - cached.checkedAt < CHECK_MS && now >= cached.checkedAt) return cached.isAllowed;
  const isAllowed = await checkVisit(services, sessionHash, deployment);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, { isAllowed, checkedAt: now });
  return isAllowed;
}

async function checkVisit(
  services: HostingServices,
  sessionHash: string,
  { deployment_id, company_id }: Visited,
): Promise<boolean> {
  const statement = findVisit({ sessionHash, deploymentId: deployment_id, now: services.clock.now() });
  const visit = await services.dbOf(company_id).first(statement);
  if (visit === null) return false;
  const memberships = services.identity.rpc.memberships({ company_id, user_ids: [visit.user_id] });
  return (await withTimeout(memberships, IDENTITY_TIMEOUT_MS)).active_user_ids.includes(visit.user_id);
}

const isSecure = ({ settings }: HostingServices): boolean => settings.apps.scheme === "https";

/** Browsers accept the prefix `__Host-` only over https, and only for a cookie without a domain. */
const cookieName = (services: HostingServices): string => (isSecure(services) ? "__Host-visit" : "visit");

function readCookie(request: Request, name: string): string | null {
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((text) => text.trim());
  const value = cookies.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return tokenPattern.test(value) ? value : null;
}

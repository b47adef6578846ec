import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { accessChecks } from "../../../../schemas/identity/people/access";
import { personalAddress } from "../../../../schemas/text/address";
import type { Result } from "../../../kit/db/db";
import { errorName } from "../../../kit/log";
import { pathOf } from "../../../kit/overview/path";
import { iso } from "../../../kit/time";
import type { Caller } from "../../caller/credentials/caller";
import { bearerOf } from "../../caller/credentials/credential";
import type { InvitationOfAddress } from "../../company/memberships/membership";
import { selectSignInMethods, signInWarnings } from "../../company/sign-in-methods/sign-in-methods";
import { emailCaller } from "../../mail/outbox/email-service";
import type { IdentityServices } from "../../services";
import { decideJoin } from "../../sign-in/completion/join";
import { findLinkLimit } from "../../sign-in/link-requests/magic-link-limit";
import { hashAddress } from "../../sign-in/link-requests/magic-link-request";
import { selectUser, selectUserByEmail } from "../profiles/company-user";
import { findInvitationOfPerson, listRefusalsOfAddress, listRefusalsOfUser, type RefusalRow } from "./access.store";

type Change = { method: "POST" | "PATCH" | "PUT" | "DELETE"; path: string; body?: Record<string, unknown> };

/** Returns a call in the company of the report, which is not always the company of the caller's token. */
const changeIn = (company: CompanyRow, method: Change["method"], path: string, body?: Change["body"]): Change => ({
  method,
  path: pathOf(path, { company_id: company.id }),
  ...(body && { body }),
});
type Check = { check: (typeof accessChecks)[number]; ok: boolean | null; code: string; change: Change | null };

/** The rows on which the sign-in of an address depends. */
type Facts = {
  company: CompanyRow;
  clients: OAuthClientRow[];
  user: CompanyUserRow | null;
  invitation: InvitationOfAddress | null;
  email: string;
};

/** The caller with their request, and the company. */
type Target = { services: IdentityServices; request: Request; caller: Caller; company: CompanyRow };

/** Maximum number of rejected sign-ins in a report. */
const MAX_REFUSALS = 5;
/** The checks that decide about a sign-in. The others only delay it, or affect only sign-in by mail. */
const DECIDING: readonly Check["check"][] = ["company", "methods", "account", "invitation", "membership", "join_rule"];

/** A person by the id of a user, or by address. */
export type Person = { userId: number; email: null } | { userId: null; email: string };

/** Returns the statements that select what the report about a person needs. */
export function selectAccess(companyId: number, person: Person) {
  const { userId, email } = person;
  const key = { companyId, userId, email };
  return {
    clients: selectSignInMethods(companyId).clients,
    user: userId === null ? selectUserByEmail(companyId, email) : selectUser(companyId, userId),
    invitation: findInvitationOfPerson(key),
    refusalsOfUser: listRefusalsOfUser(key),
    refusalsOfAddress: listRefusalsOfAddress(key),
  };
}

type AccessResults = {
  clients: Result<OAuthClientRow>;
  user: Result<CompanyUserRow>;
  invitation: Result<InvitationOfAddress>;
  refusalsOfUser: Result<RefusalRow>;
  refusalsOfAddress: Result<RefusalRow>;
};

/**
 * Returns the user if the caller may see the account, otherwise null. An owner sees only accounts with a membership in the
 * company, so that a report does not reveal accounts of other companies.
 */
export function visibleUser(caller: Caller, user: CompanyUserRow | null): CompanyUserRow | null {
  return user !== null && (user.state !== null || caller.isStaff) ? user : null;
}

/**
 * Reports why an address can or cannot sign in to the company: the checks of a sign-in in their order, and the last
 * rejections. `results` are those of selectAccess. Changes nothing.
 */
export async function reportAccess(target: Target, email: string, results: AccessResults) {
  const { services, caller, company } = target;
  const user = visibleUser(caller, results.user.first);
  const facts = { company, clients: results.clients.rows, user, invitation: results.invitation.first, email };
  const [limits, mail] = await Promise.all([checkLimits(target, email), checkMail(target, email)]);
  const checks = [...decidingChecks(services, facts), limits, mail];
  return {
    email,
    user_id: user?.id ?? null,
    can_sign_in: checks.every(({ check, ok }) => ok === true || !DECIDING.includes(check)),
    checks,
    last_refusals: lastRefusals(results),
  };
}

/** Returns the last rejected sign-ins of both lists, newest first. */
function lastRefusals({ refusalsOfUser, refusalsOfAddress }: AccessResults) {
  const byId = new Map([...refusalsOfUser.rows, ...refusalsOfAddress.rows].map((row) => [row.id, row]));
  return [...byId.values()]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, MAX_REFUSALS)
    .map(({ created_at, code, provider }) => ({ at: iso(created_at), code: code ?? "unknown", provider }));
}

const passed = (check: Check["check"], code: string): Check => ({ check, ok: true, code, change: null });
const failed = (check: Check["check"], code: string, change: Change | null): Check => ({
  check,
  ok: false,
  code,
  change,
});

/** Returns the checks that decide about a sign-in that proves the address. */
function decidingChecks(services: IdentityServices, facts: Facts): Check[] {
  const { company, clients, user } = facts;
  const methods = signInWarnings(services, { company, clients });
  const openMethods =
    services.settings.magicLinkEnabled && !company.enable_magic_link
      ? changeIn(company, "PATCH", "/api/v1/auth-methods", { enable_magic_link: true })
      : null;
  return [
    company.is_active
      ? passed("company", "active")
      : failed("company", "company_inactive", {
          method: "PATCH",
          path: `/api/v1/companies/${company.id}`,
          body: { is_active: true },
        }),
    methods.length === 0 ? passed("methods", "available") : failed("methods", "no_sign_in_method", openMethods),
    user && !user.is_active ? failed("account", "account_inactive", null) : passed("account", user ? "active" : "new"),
    checkInvitation(services, facts),
    checkMembership(services, facts),
    checkJoinRule(services, facts),
  ];
}

function checkInvitation({ clock }: IdentityServices, { company, invitation, user }: Facts): Check {
  if (invitation === null) return passed("invitation", "none");
  if (invitation.status !== "revoked")
    return passed("invitation", invitation.expires_at > clock.now() ? "pending" : "expired");
  if (user?.state === "allowed") return passed("invitation", "revoked");
  const lift = changeIn(company, "DELETE", `/api/v1/invitations/${invitation.id}`);
  return failed("invitation", "invitation_revoked", lift);
}

/** Returns the join decision for a sign-in by link, as if company, account and invitation were in order. */
function decide({ clock }: IdentityServices, { company, user, invitation, email }: Facts) {
  return decideJoin({
    company: { ...company, is_active: true },
    user: user && { ...user, is_active: true },
    invitation: invitation?.status === "revoked" ? null : invitation,
    email,
    isProven: true,
    isCompanyProvider: false,
    now: clock.now(),
  });
}

function checkMembership(services: IdentityServices, facts: Facts): Check {
  const { company, user } = facts;
  if (!user?.state) {
    return user?.is_staff ? failed("membership", "staff_account", null) : passed("membership", "none");
  }
  if (user.state === "allowed") return passed("membership", "allowed");
  if (user.is_staff) return failed("membership", "staff_account", null);
  if (user.state_reason === "join_rule") return passed("membership", user.state);
  if (decide(services, facts).access === "allowed") return passed("membership", "invited");
  const change = changeIn(company, "PUT", `/api/v1/users/${user.id}`, { is_active: true });
  return failed("membership", `access_${user.state}`, user.state_reason === "scim" ? null : change);
}

function checkJoinRule(services: IdentityServices, facts: Facts): Check {
  const { company, user, email } = facts;
  if (user?.state === "allowed") return passed("join_rule", "member");
  if (user?.is_staff || (user?.state && user.state_reason !== "join_rule")) return passed("join_rule", "not_applied");
  const decision = decide(services, facts);
  if (decision.access === "allowed")
    return passed("join_rule", decision.invitation === null ? company.access_mode : "invited");
  const change = user?.state
    ? changeIn(company, "PUT", `/api/v1/users/${user.id}`, { is_active: true })
    : changeIn(company, "POST", "/api/v1/invitations", { email });
  return failed("join_rule", `access_${decision.access}`, change);
}

/** Reports whether a link request of the address would be accepted now. */
async function checkLimits({ services, company }: Target, email: string): Promise<Check> {
  const limited = await findLinkLimit(services, company.id, await hashAddress(services, personalAddress(email)));
  return limited ? failed("limits", "rate_limited", null) : passed("limits", "free");
}

/** The fields that the report reads from the email service's response to `GET /api/v1/suppressions`. */
type Suppressions = { suppressions: { id: number; reason: string; lanes: string[]; expires_at: string | null }[] };

/** Asks the email service, with the caller's token, whether it suppresses sign-in mail to the address. */
async function checkMail({ services, request, company }: Target, email: string): Promise<Check> {
  const unknown: Check = { check: "mail", ok: null, code: "email_unavailable", change: null };
  const call = emailCaller(services);
  const token = bearerOf(request);
  if (call === null || token === null) return unknown;
  const query = new URLSearchParams({ company_id: String(company.id), email });
  const signal = AbortSignal.timeout(services.settings.emailTimeoutMs);
  try {
    const headers = { authorization: `Bearer ${token}`, "x-request-id": services.requestId };
    const response = await call(`/api/v1/suppressions?${query}`, { headers, redirect: "manual", signal });
    if (!response.ok) {
      await response.body?.cancel();
      return unknown;
    }
    const now = services.clock.now();
    const { suppressions } = await response.json<Suppressions>();
    // Only a permanent bounce suppresses sign-in mail.
    const blocking = suppressions.find(
      ({ reason, lanes, expires_at }) =>
        reason === "hard_bounce" &&
        (lanes.length === 0 || lanes.includes("auth")) &&
        (expires_at === null || Date.parse(expires_at) > now),
    );
    if (blocking === undefined) return passed("mail", "not_suppressed");
    const path = `/email/api/v1/suppressions/${blocking.id}`;
    return failed("mail", "recipient_suppressed", changeIn(company, "DELETE", path));
  } catch (error) {
    services.log.warn("suppression not read", { cause: errorName(error) });
    return unknown;
  }
}

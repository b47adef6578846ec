import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow } from "../../../../db/identity/schema";
import type { InvitationOfAddress } from "../../company/memberships/membership";

/**
 * The result of the join rules for a sign-in. `invitation` is the invitation that the sign-in accepts, or null. `store` is the
 * membership state that a rejection stores, or null for none.
 */
export type JoinDecision =
  | { access: "allowed"; invitation: InvitationOfAddress | null }
  | { access: "pending" | "denied"; store: "pending" | "denied" | null };

/** The input of the join rules. */
type Joining = {
  company: CompanyRow;
  user: CompanyUserRow | null;
  /** the pending or revoked invitation of the address */
  invitation: InvitationOfAddress | null;
  email: string;
  /** whether the sign-in proves the address */
  isProven: boolean;
  /** whether the sign-in uses the company's own OpenID provider, whose domains count without a proof */
  isCompanyProvider: boolean;
  /** unix ms */
  now: number;
};

const ALLOWED = { access: "allowed", invitation: null } as const;

/** Applies the join rules. The first match wins (docs/specification/sign-in.md#join-rules). */
export function decideJoin(joining: Joining): JoinDecision {
  const { company, user, invitation, email, isProven, isCompanyProvider } = joining;
  if (!company.is_active || (user && !user.is_active)) return { access: "denied", store: null };
  const acceptable = invitation && isAcceptable(invitation, joining) ? invitation : null;
  if (user?.state === "allowed") return { access: "allowed", invitation: acceptable };
  if (user?.is_staff || invitation?.status === "revoked") return { access: "denied", store: null };
  if (acceptable) return { access: "allowed", invitation: acceptable };
  if (user?.state && user.state_reason !== "join_rule") return { access: user.state, store: null };
  switch (company.access_mode) {
    case "public":
      return ALLOWED;
    case "domain":
      return (isProven || isCompanyProvider) && isDomainAllowed(email, company.allowed_email_domains)
        ? ALLOWED
        : { access: "denied", store: "denied" };
    case "invite":
      return { access: "pending", store: "pending" };
  }
}

/**
 * Returns whether the sign-in accepts the invitation. It must be pending, and newer than a decision of an administrator that
 * denies access. A state that only the join rules stored does not matter.
 */
function isAcceptable(invitation: InvitationOfAddress, { user, isProven, now }: Joining): boolean {
  if (!isProven || invitation.status !== "pending" || invitation.expires_at <= now) return false;
  if (!user?.state || user.state === "allowed" || user.state_reason === "join_rule") return true;
  return user.state_reason !== "scim" && (user.state_at ?? 0) < invitation.created_at;
}

/** Returns whether the domain of the address is one of `domains` or a subdomain of one. */
function isDomainAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

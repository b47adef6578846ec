import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { CompanyRow } from "../../../../db/identity/schema";

/** The result of the join rules for a sign-in. `store` is the membership state that a rejection stores, or null for none. */
export type JoinDecision = { access: "allowed" } | { access: "pending" | "denied"; store: "pending" | "denied" | null };

/**
 * Applies the join rules. The first match wins (docs/specification/sign-in.md#join-rules). `isDomainTrusted` is true when the
 * sign-in proves the address, as a link does, or uses the company's own OpenID provider.
 */
export function decideJoin(
  company: CompanyRow,
  user: CompanyUserRow | null,
  email: string,
  isDomainTrusted: boolean,
): JoinDecision {
  if (!company.is_active || (user && !user.is_active)) return { access: "denied", store: null };
  if (user?.state === "allowed") return { access: "allowed" };
  if (user?.is_staff) return { access: "denied", store: null };
  if (user?.state && user.state_reason !== "join_rule") return { access: user.state, store: null };
  switch (company.access_mode) {
    case "public":
      return { access: "allowed" };
    case "domain":
      return isDomainTrusted && isDomainAllowed(email, company.allowed_email_domains)
        ? { access: "allowed" }
        : { access: "denied", store: "denied" };
    case "invite":
      return { access: "pending", store: "pending" };
  }
}

/** Returns whether the domain of the address is one of `domains` or a subdomain of one. */
function isDomainAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

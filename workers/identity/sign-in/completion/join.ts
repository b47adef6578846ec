import type { PersonRow } from "../../../../db/identity/person";
import type { CompanyRow } from "../../../../db/identity/schema";

/** What sign-in decides. `store`: the state that a refusal leaves, null when it leaves none. */
export type JoinDecision = { access: "allowed" } | { access: "pending" | "denied"; store: "pending" | "denied" | null };

/**
 * The join rules, first match wins (docs/specification/sign-in.md#join-rules). `mayUseDomain`: the sign-in proves the
 * address, as a link does, or comes from the company's own OpenID provider. Invitations join by endpoints of their own.
 */
export function decideJoin(
  company: CompanyRow,
  person: PersonRow | null,
  email: string,
  mayUseDomain: boolean,
): JoinDecision {
  if (!company.is_active || (person && !person.is_active)) return { access: "denied", store: null };
  if (person?.state === "allowed") return { access: "allowed" };
  if (person?.is_staff) return { access: "denied", store: null };
  if (person?.state && person.state_reason !== "join_rule") return { access: person.state, store: null };
  switch (company.access_mode) {
    case "public":
      return { access: "allowed" };
    case "domain":
      return mayUseDomain && isDomainAllowed(email, company.allowed_email_domains)
        ? { access: "allowed" }
        : { access: "denied", store: "denied" };
    case "invite":
      return { access: "pending", store: "pending" };
  }
}

/** Whether the address's domain equals or is a subdomain of an allowed one. */
function isDomainAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

import type { CompanyRow, PersonRow } from "../account/person.store";

/** What sign-in decides (details 5). `store`: the state that a refusal leaves, null when it leaves none. */
export type JoinDecision = { access: "allowed" } | { access: "pending" | "denied"; store: "pending" | "denied" | null };

/**
 * The join rules of details 5, first match wins. `mayUseDomain`: the sign-in proves the address, as a link does, or comes
 * from the company's own OpenID provider. Invitations (rules 3 and 4) join with their own endpoints.
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

/** Whether the address's domain equals or is a subdomain of an allowed one; the list is a JSON array. */
function isDomainAllowed(email: string, domainsJson: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const allowed: unknown = JSON.parse(domainsJson);
  if (!Array.isArray(allowed)) return false;
  return allowed.some((entry) => typeof entry === "string" && (domain === entry || domain.endsWith(`.${entry}`)));
}

/** Username candidates of a new account: the local part without `+tag` in ASCII, two numbered ones, a random one. */
export function usernameCandidates(email: string, randomHex: string): [string, string, string, string] {
  const local = email.slice(0, email.indexOf("@")).split("+")[0] ?? "";
  const base =
    local
      .normalize("NFKD")
      .replace(/[^a-z0-9._-]/g, "")
      .slice(0, 60) || "user";
  return [base, `${base}2`, `${base}3`, `user_${randomHex}`];
}

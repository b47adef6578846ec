import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { IdentitySettings } from "../../settings";

/** What says how people sign in to a company; `clients` are those that can be used. */
export type MethodFacts = { company: CompanyRow | null; clients: readonly OAuthClientRow[] };

/** A total of the log that a scrape shows. */
export type Total = { counter: string; help: string };

/** A way to sign in. Its fields on the wire are declared in schemas/identity/sign-in-methods. */
export type SignInMethod = {
  /** whether people can sign in to the company by it now */
  isEffective: (settings: IdentitySettings, facts: MethodFacts) => boolean;
  /** its fields of the public settings, and those that only members of the company see */
  presentSettings: (settings: IdentitySettings, facts: MethodFacts, isEffective: boolean) => Record<string, unknown>;
  presentForMembers?: (facts: MethodFacts) => Record<string, unknown>;
  /** its fields of the auth-methods object */
  presentAuthMethods: (
    settings: IdentitySettings,
    facts: MethodFacts & { company: CompanyRow },
    isEffective: boolean,
  ) => Record<string, unknown>;
  /** what `identity.user.created` says of an account that begins with it; `provider` as in the session */
  accountData: (provider: string) => Record<string, unknown>;
  /** totals of its own; sign-ins are counted by provider for every method */
  totals: readonly Total[];
  /** a total that is the sum of counted names, and the names of it that are shown nowhere else */
  sum?: { counter: string; of: readonly string[]; hidden: readonly string[] };
};

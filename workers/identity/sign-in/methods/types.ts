import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { IdentitySettings } from "../../settings";

/** The rows that determine the sign-in methods of a company; `clients` are the usable ones. */
export type MethodFacts = { company: CompanyRow | null; clients: readonly OAuthClientRow[] };

/** A total of the log that metrics expose. */
export type Total = { counter: string; help: string };

/** A sign-in method. Its API fields are declared in schemas/identity/sign-in-methods. */
export type SignInMethod = {
  /** whether users can sign in to the company by it now */
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
  /** data of `identity.user.created` for an account created by it; `provider` as in the session */
  accountData: (provider: string) => Record<string, unknown>;
  /** totals that only this method has; sign-ins are counted by provider for every method */
  totals: readonly Total[];
  /** a total that sums several counts, and those of them that are not exposed otherwise */
  sum?: { counter: string; of: readonly string[]; hidden: readonly string[] };
};

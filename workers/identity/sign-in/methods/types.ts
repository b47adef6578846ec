import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { IdentitySettings } from "../../settings";

/** The rows that determine the sign-in methods of a company; `clients` contains only the usable OAuth clients. */
export type MethodFacts = { company: CompanyRow | null; clients: readonly OAuthClientRow[] };

/** A total of logged events that the metrics expose. */
export type Total = { counter: string; help: string };

/** A sign-in method. Its API fields are declared in schemas/identity/sign-in-methods. */
export type SignInMethod = {
  /** whether users can sign in to the company by this method now */
  isEffective: (settings: IdentitySettings, facts: MethodFacts) => boolean;
  /** the method's fields in the public settings; `presentForMembers` returns the fields that only members of the company see */
  presentSettings: (settings: IdentitySettings, facts: MethodFacts, isEffective: boolean) => Record<string, unknown>;
  presentForMembers?: (facts: MethodFacts) => Record<string, unknown>;
  /** the method's fields in the auth-methods object */
  presentAuthMethods: (
    settings: IdentitySettings,
    facts: MethodFacts & { company: CompanyRow },
    isEffective: boolean,
  ) => Record<string, unknown>;
  /** data of `identity.user.created` for an account that this method creates; `provider` is the provider of the session */
  accountData: (provider: string) => Record<string, unknown>;
  /** totals that only this method has; sign-ins are counted by provider for every method */
  totals: readonly Total[];
  /** a total (`counter`): the sum of the counts in `addends`. The metrics do not show the counts in `hidden` separately */
  sum?: { counter: string; addends: readonly string[]; hidden: readonly string[] };
};

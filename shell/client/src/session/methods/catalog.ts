import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { MessageKey } from "../../i18n/translate.ts";
import type { LiveSettings } from "../adapters/adapter.ts";
import { magicLink } from "./magic-link.ts";
import type { MethodDefinition } from "./method.ts";
import { oauth } from "./oauth.ts";
import { web3 } from "./web3.ts";

const definitions = { magic_link: magicLink, oauth, web3 } satisfies Record<string, MethodDefinition>;

export type SignInMethod = keyof typeof definitions;

/** All sign-in methods. To add one, add a file here, a line in this table, and its view in login/methods. */
const signInMethods: Record<SignInMethod, MethodDefinition> = definitions;

const entries = Object.entries(signInMethods) as [SignInMethod, MethodDefinition][];

/** A method that the sign-in page offers, with its options, such as provider ids. */
export type Offered = { method: SignInMethod; options: string[] };

/** Returns the configured or default methods that are enabled in the service and have at least one option. */
export function offeredMethods(
  { type, login = {} }: Pick<PageBackend, "type" | "login">,
  live: LiveSettings,
  last: string | null,
): Offered[] {
  const offered = entries.flatMap(([method, definition]) => {
    const isOfType = definition.backends.includes(type);
    const isConfigured = login.methods?.includes(method) ?? definition.isDefault(login);
    if (!isOfType || !isConfigured || !live.methods.includes(method)) return [];
    return [{ method, options: definition.optionsOf(login, live, last) }];
  });
  return offered.filter(({ options }) => options.length > 0);
}

/** Returns the text key that names a session's provider on the account page, or null if the provider has its own name. */
export function accountText(provider: string): MessageKey | null {
  return entries.find(([, { providers }]) => providers.includes(provider))?.[1].account ?? null;
}

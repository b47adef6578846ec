import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { MessageKey } from "../../i18n/translate.ts";
import type { LiveSettings } from "../adapters/adapter.ts";

/** A way to sign in, as the shell knows it. What the sign-in page draws for it is in login/methods. */
export type MethodDefinition = {
  /** whether it is offered where the configuration names no methods */
  isDefault: (login: NonNullable<PageBackend["login"]>) => boolean;
  /** the types of service that have it */
  backends: readonly PageBackend["type"][];
  /** what the sign-in page offers of it, such as provider ids; empty: nothing. `last`: used last in this browser */
  optionsOf: (login: NonNullable<PageBackend["login"]>, live: LiveSettings, last: string | null) => string[];
  /** providers of a session that stand for the method itself, and their name on the account page */
  providers: readonly string[];
  account: MessageKey | null;
};

import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { MessageKey } from "../../i18n/translate.ts";
import type { LiveSettings } from "../adapters/adapter.ts";

/** Definition of a sign-in method. Its view is in login/methods. */
export type MethodDefinition = {
  /** whether it is offered when the configuration lists no methods */
  isDefault: (login: NonNullable<PageBackend["login"]>) => boolean;
  /** backend types that support it */
  backends: readonly PageBackend["type"][];
  /** returns its options, such as provider ids; empty when it is not offered. `last` is the option last used in this browser */
  optionsOf: (login: NonNullable<PageBackend["login"]>, live: LiveSettings, last: string | null) => string[];
  /** session providers that mean this method, and its name on the account page */
  providers: readonly string[];
  account: MessageKey | null;
};

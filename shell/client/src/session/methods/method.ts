import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { MessageKey } from "../../i18n/translate.ts";
import type { LiveSettings } from "../adapters/adapter.ts";

/** Definition of a sign-in method. Its view is in login/methods. */
export type MethodDefinition = {
  /** whether the method is offered when the configuration lists no methods */
  isDefault: (login: NonNullable<PageBackend["login"]>) => boolean;
  /** backend types that support the method */
  backends: readonly PageBackend["type"][];
  /**
   * returns the options of the method, such as provider ids; empty when the method is not offered. `last` is the option that
   * was last used in this browser
   */
  optionsOf: (login: NonNullable<PageBackend["login"]>, live: LiveSettings, last: string | null) => string[];
  /** values of a session's `provider` that belong to this method */
  providers: readonly string[];
  /** text key of the method's name on the account page */
  account: MessageKey | null;
};

import type { SignInMethodId } from "../../../../schemas/identity/sign-in-methods/catalog";
import type { IdentitySettings } from "../../settings";
import { magicLink } from "./magic-link";
import { oauth } from "./oauth";
import type { MethodFacts, SignInMethod } from "./types";

/** The sign-in methods, in the order in which the API lists them. A new method needs a file in this folder and a line here. */
export const signInMethods: Record<SignInMethodId, SignInMethod> = { magic_link: magicLink, oauth };

const entries = Object.entries(signInMethods) as [SignInMethodId, SignInMethod][];

/** Returns the methods by which users can sign in to the company now. */
export function effectiveMethods(settings: IdentitySettings, facts: MethodFacts): SignInMethodId[] {
  return entries.flatMap(([id, method]) => (method.isEffective(settings, facts) ? [id] : []));
}

/** Merges the result of `present` for each method into one object. */
export function presentMethods(
  settings: IdentitySettings,
  facts: MethodFacts,
  present: (method: SignInMethod, isEffective: boolean) => Record<string, unknown>,
): Record<string, unknown> {
  const parts = entries.map(([, method]) => present(method, method.isEffective(settings, facts)));
  return Object.assign({}, ...parts) as Record<string, unknown>;
}

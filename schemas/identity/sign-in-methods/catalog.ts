import { magicLink } from "./magic-link";
import type { MethodFields } from "./method";
import { oauth } from "./oauth";

/** The sign-in methods in display order. To add one, add a file in this folder and a line here. */
const methodFields = { magic_link: magicLink, oauth } satisfies Record<string, MethodFields>;

type Catalog = typeof methodFields;

/** The id of a sign-in method, as in `methods` of `GET /api/v1/settings` and `/api/v1/auth-methods`. */
export type SignInMethodId = keyof Catalog;

export const signInMethodIds = Object.keys(methodFields) as [SignInMethodId, ...SignInMethodId[]];

type Part = "settings" | "authMethods" | "flags";
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** Returns the fields of all sign-in methods for one API object. */
export function fieldsOfMethods<P extends Part>(part: P): Intersection<ReturnType<Catalog[SignInMethodId][P]>> {
  return Object.assign({}, ...Object.values(methodFields).map((method) => method[part]()));
}

/** Returns an example of the fields of all sign-in methods. */
export function exampleOfMethods(part: "settings" | "authMethods"): Record<string, unknown> {
  return Object.assign({}, ...Object.values(methodFields).map(({ examples }) => examples[part]));
}

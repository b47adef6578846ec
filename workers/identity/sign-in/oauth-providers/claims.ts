import { canonicalAddress, isAddress } from "../../../../schemas/text/address";
import { plainName } from "../../../../schemas/text/name";
import type { ProviderIdentity } from "./types";

type Values = Record<string, unknown>;

const MAX_NAME = 150;
/** maximum length of first and last name together */
const MAX_NAMES = 300;

/**
 * Returns text from a provider on one line, without control characters and cut to `max` characters. Returns "" for any value
 * that is not valid text.
 */
export function lineOf(value: unknown, max: number): string {
  if (typeof value !== "string" || /\p{Cs}/u.test(value)) return "";
  return Array.from(value.replace(/\p{Cc}+/gu, " ").trim())
    .slice(0, max)
    .join("")
    .trim();
}

/** Returns an email address in its stored form, or null for an invalid one. */
export function emailOf(value: unknown): string | null {
  const email = typeof value === "string" ? canonicalAddress(value) : "";
  return isAddress(email) ? email : null;
}

/** Returns an https picture URL, or null. */
export function pictureOf(value: unknown): string | null {
  return typeof value === "string" && value.length <= 2048 && /^https:\/\/[^\s]+$/.test(value) ? value : null;
}

/** Returns a name from a provider without unsafe characters. Never throws, because a bad name must not fail the sign-in. */
export function nameOf(value: unknown): string {
  return lineOf(plainName(lineOf(value, MAX_NAMES)), MAX_NAME);
}

/** Returns first and last name from the standard claims, or else from `name`. */
export function namesOf(values: Values): Pick<ProviderIdentity, "firstName" | "lastName"> {
  const firstName = nameOf(values.given_name);
  const lastName = nameOf(values.family_name);
  if (firstName || lastName) return { firstName, lastName };
  const [first = "", ...rest] = plainName(lineOf(values.name, MAX_NAMES)).split(/\s+/);
  return { firstName: nameOf(first), lastName: nameOf(rest.join(" ")) };
}

/**
 * Returns the identity in the claims of an OpenID Connect ID token. The caller has verified the token with its `sub` and
 * `iss`.
 */
export function identityOf(claims: Values, issuer: string, isEmailProven: boolean): ProviderIdentity {
  const email = emailOf(claims.email);
  return {
    issuer,
    subject: String(claims.sub),
    email,
    isEmailProven: email !== null && isEmailProven,
    ...namesOf(claims),
    avatarUrl: pictureOf(claims.picture),
  };
}

import type { FilterValue } from "../../../../db/identity/conditions/scim-filter";
import type { DirectoryAttributes } from "../../../../db/identity/scim";
import { canonicalAddress, isAddress } from "../../../../schemas/text/address";
import { isName, isVisibleLine } from "../../../../schemas/text/name";
import { isObject, type JsonObject } from "../../../kit/json";
import { matches } from "../protocol/filter";
import { type Change, changesOfResource, memberOf } from "../protocol/patch";
import { badRequest } from "../protocol/scim-problem";

type DirectoryEmail = NonNullable<DirectoryAttributes["email"]>;

/** A user as the directory sees them. `email` is null if the directory sent no `emails`; then the user name is the address. */
export type DirectoryUser = {
  userName: string;
  externalId: string | null;
  givenName: string;
  familyName: string;
  formattedName: string | null;
  displayName: string | null;
  email: DirectoryEmail | null;
  isActive: boolean;
  language: string | null;
  timezone: string | null;
};

/** The attributes of a user before the directory sends any. `isActive` is the present value, which a PUT without `active` keeps. */
export const emptyUser = (isActive: boolean): DirectoryUser => ({
  userName: "",
  externalId: null,
  givenName: "",
  familyName: "",
  formattedName: null,
  displayName: null,
  email: null,
  isActive,
  language: null,
  timezone: null,
});

type TextAttribute = {
  field:
    | "userName"
    | "externalId"
    | "givenName"
    | "familyName"
    | "formattedName"
    | "displayName"
    | "language"
    | "timezone";
  label: string;
  max: number;
  rejectsLinks?: true;
};

// Mails show the given and family name to other people, so these must not contain links.
const textAttributes: Record<string, TextAttribute> = {
  username: { field: "userName", label: "userName", max: 255 },
  externalid: { field: "externalId", label: "externalId", max: 255 },
  displayname: { field: "displayName", label: "displayName", max: 255 },
  "name.givenname": { field: "givenName", label: "name.givenName", max: 150, rejectsLinks: true },
  "name.familyname": { field: "familyName", label: "name.familyName", max: 150, rejectsLinks: true },
  "name.formatted": { field: "formattedName", label: "name.formatted", max: 320 },
  preferredlanguage: { field: "language", label: "preferredLanguage", max: 35 },
  timezone: { field: "timezone", label: "timezone", max: 64 },
};

/** Returns the user that a POST or PUT describes. Throws 400 `invalidValue`. */
export function readUser(body: JsonObject, isActive: boolean): DirectoryUser {
  return applyChanges(emptyUser(isActive), changesOfResource(body));
}

/**
 * Returns the user after the changes. Ignores attributes that are not stored. Throws 400 `invalidValue` for a value of the wrong
 * type, a text that is too long or has invisible characters, and a user without a user name or address.
 */
export function applyChanges(user: DirectoryUser, changes: readonly Change[]): DirectoryUser {
  const changed = { ...user };
  for (const change of changes) applyChange(changed, change);
  if (changed.userName === "") throw badRequest("invalidValue", "userName is required.");
  if (!isAddress(addressOf(changed)))
    throw badRequest("invalidValue", "emails must contain an address, or userName must be one.");
  return changed;
}

/** Returns the address of a user, in its canonical form. */
export function addressOf({ email, userName }: Pick<DirectoryUser, "email" | "userName">): string {
  return canonicalAddress(email?.value ?? userName);
}

function applyChange(user: DirectoryUser, change: Change): void {
  const { verb, attribute } = change;
  const value = verb === "remove" ? null : change.value;
  // The name comes from the directory, and may be that of a member of every object, such as `constructor`.
  const text = Object.hasOwn(textAttributes, attribute) ? textAttributes[attribute] : undefined;
  if (text !== undefined) setText(user, text, value);
  else if (attribute === "name" && verb === "remove") clearName(user);
  // The names of an object arrive as changes of `name.givenName` and others.
  else if (attribute === "name" && value !== null) throw badRequest("invalidValue", "name must be an object.");
  else if (attribute === "active" && value !== null) user.isActive = readBoolean("active", value);
  else if (attribute === "emails") user.email = emailAfter(user, change);
}

function clearName(user: DirectoryUser): void {
  user.givenName = "";
  user.familyName = "";
  user.formattedName = null;
}

function setText(user: DirectoryUser, { field, label, max, rejectsLinks }: TextAttribute, value: unknown): void {
  const content = unwrap(value);
  if (content !== null && typeof content !== "string") throw badRequest("invalidValue", `${label} must be a string.`);
  const text = content?.trim() ?? "";
  if (text.length > max) throw badRequest("invalidValue", `${label} has more than ${max} characters.`);
  if (!isVisibleLine(text)) throw badRequest("invalidValue", `${label} has characters that are not allowed.`);
  if (rejectsLinks && !isName(text)) throw badRequest("invalidValue", `${label} must not look like a link.`);
  if (field === "userName" || field === "givenName" || field === "familyName") user[field] = text;
  else user[field] = text === "" ? null : text;
}

/** Returns the value of a simple attribute. Some directories send it as a list with one `{value}`. */
function unwrap(value: unknown): unknown {
  const [only] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  return isObject(only) ? (memberOf(only, "value") ?? null) : value;
}

/** Returns a boolean. Some directories send it as text. Throws 400 `invalidValue`. */
function readBoolean(label: string, value: unknown): boolean {
  const content = unwrap(value);
  const text = typeof content === "string" ? content.toLowerCase() : content;
  if (text === true || text === "true") return true;
  if (text === false || text === "false") return false;
  throw badRequest("invalidValue", `${label} must be true or false.`);
}

/** Returns the stored email after a change of `emails`, or null. A filter that does not match the stored email changes nothing. */
function emailAfter({ email }: DirectoryUser, { verb, filter, subAttribute, value }: Change): DirectoryEmail | null {
  const present: Record<string, FilterValue> = {
    "emails.type": email?.type ?? null,
    "emails.value": email?.value ?? null,
    "emails.primary": true,
  };
  // Without a stored email, the filter gives the type of the new one.
  const type =
    email?.type ?? (filter?.kind === "compare" && filter.attribute === "emails.type" ? String(filter.value) : "work");
  const isSelected = filter === null || matches(filter, email === null ? { ...present, "emails.type": type } : present);
  if (!isSelected) return email;
  if (verb === "remove") return subAttribute === null || subAttribute === "value" ? null : email;
  if (subAttribute === "value") return { ...email, value: readAddress(value), type };
  if (subAttribute === "type") return email && { ...email, type: readType(value) };
  if (subAttribute === "primary") return email && emailOf(email.value, email.type, value ?? true);
  if (subAttribute !== null) return email;
  return readEmails(value, type);
}

function readEmails(value: unknown, defaultType: string): DirectoryEmail | null {
  const listed: unknown[] = Array.isArray(value) ? value : [value];
  const emails = listed
    .map((item) => (isObject(item) ? item : { value: item }))
    .filter((email) => (memberOf(email, "value") ?? null) !== null);
  const selected =
    emails.find((email) => readBoolean("emails.primary", memberOf(email, "primary") ?? false)) ?? emails[0];
  if (selected === undefined) return null;
  const type = memberOf(selected, "type") ?? null;
  const address = readAddress(memberOf(selected, "value"));
  return emailOf(address, type === null ? defaultType : readType(type), memberOf(selected, "primary") ?? true);
}

/** Returns an email in the form that is stored. An email is primary unless the directory says that it is not. */
function emailOf(value: string, type: string, primary: unknown): DirectoryEmail {
  return { value, type, ...(readBoolean("emails.primary", primary) ? {} : { primary: false as const }) };
}

function readAddress(value: unknown): string {
  const content = unwrap(value);
  if (typeof content !== "string" || !isAddress(canonicalAddress(content)))
    throw badRequest("invalidValue", "emails.value must be an address.");
  return content.trim();
}

function readType(value: unknown): string {
  if (typeof value !== "string" || value.length > 50 || !isVisibleLine(value))
    throw badRequest("invalidValue", "emails.type must be a string of at most 50 characters.");
  return value;
}

import { withoutGuard } from "../input/csv.ts";
import {
  FieldError,
  type Format,
  isTrue,
  languageOf,
  namesOf,
  objectsOf,
  type Row,
  type Source,
  textOf,
  timeOf,
} from "./format.ts";

/** The names of each column, without case, spaces and punctuation. */
const names = {
  email: ["email", "emailaddress", "mail"],
  email_verified: ["emailverified", "verified"],
  first_name: ["firstname", "givenname"],
  last_name: ["lastname", "familyname", "surname"],
  name: ["name", "fullname", "displayname"],
  language: ["language", "locale", "preferredlanguage"],
  time_zone: ["timezone", "zoneinfo"],
  created_at: ["createdat", "created", "signedupat"],
  groups: ["groups", "group"],
  provider_accounts: ["provideraccounts", "identities"],
  google: ["googleid", "googlesub"],
  github: ["githubid"],
  apple: ["appleid", "applesub"],
} as const;
type Field = keyof typeof names;

const plain = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, "");
const fieldOf = new Map<string, Field>(
  Object.entries(names).flatMap(([field, keys]) => keys.map((key) => [key, field as Field] as const)),
);

/**
 * Reads the CSV format of the platform, and the rows of `export_people`. Lists in a cell are JSON, or are separated by
 * semicolons.
 */
export const csv: Format = {
  label: "CSV",
  matches: (keys) => [...keys].some((key) => fieldOf.get(plain(key)) === "email"),
  ignores: (key) => !fieldOf.has(plain(key)),
  map: (source) => {
    const fields: Partial<Record<Field, unknown>> = {};
    for (const [key, value] of Object.entries(source)) {
      const field = fieldOf.get(plain(key));
      if (field !== undefined) fields[field] ??= typeof value === "string" ? withoutGuard(value) : value;
    }
    const row: Row = {
      email: textOf(fields.email),
      email_verified: isTrue(fields.email_verified),
      ...namesOf(fields.first_name, fields.last_name, fields.name),
      language: languageOf(fields.language),
      time_zone: textOf(fields.time_zone),
      created_at: timeOf(fields.created_at),
      groups: groupsOf(fields.groups),
      provider_accounts: [...accountsIn(fields.provider_accounts), ...accountColumns(fields)],
    };
    return { row, unsupportedProviders: [] };
  },
};

/** Returns the names of groups in a list, in JSON text, or in text with semicolons. */
function groupsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  const text = textOf(value);
  if (text === undefined) return [];
  if (!text.startsWith("[")) return text.split(";").flatMap((name) => textOf(name) ?? []);
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // The cell begins with a bracket, but is not JSON.
  }
  throw new FieldError("groups", "invalid_json");
}

/** Returns accounts in a list, in JSON text, or in text such as `google:1084;github:77`. */
function accountsIn(value: unknown): NonNullable<Row["provider_accounts"]> {
  const text = textOf(value);
  if (text !== undefined && !text.startsWith("[")) {
    return text.split(";").flatMap((account) => {
      const [provider = "", ...subject] = account.trim().split(":");
      return provider === "" ? [] : [{ provider, subject: subject.join(":") }];
    });
  }
  return objectsOf(value, "provider_accounts").map(({ provider, subject, issuer }: Source) => ({
    provider: String(provider ?? ""),
    subject: textOf(subject) ?? "",
    ...(textOf(issuer) === undefined ? {} : { issuer: String(issuer) }),
  }));
}

const accountColumns = (fields: Partial<Record<Field, unknown>>) =>
  (["google", "github", "apple"] as const).flatMap((provider) => {
    const subject = textOf(fields[provider]);
    return subject === undefined ? [] : [{ provider, subject }];
  });

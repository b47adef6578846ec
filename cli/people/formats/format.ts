import type { ImportedPerson } from "../../../schemas/identity/people/imports.ts";

/** The data of a person as a file has it: the columns of a CSV file, or a JSON object. */
export type Source = Record<string, unknown>;

/** A row for the service. Fields may be invalid, which the service reports. */
export type Row = { [K in keyof ImportedPerson]?: ImportedPerson[K] | undefined };

/** A row, and the linked accounts of providers that the platform does not support. */
export type Mapped = { row: Row; unsupportedProviders: string[] };

/** The file format of a sign-in service. */
export type Format = {
  /** the name of the service, for messages */
  label: string;
  /** the columns of a CSV file without a header line */
  columns?: readonly string[];
  /** whether the keys of the first person are those of the format */
  matches: (keys: ReadonlySet<string>) => boolean;
  /** whether an import ignores a column; undefined for the exports of services, which have many such columns */
  ignores?: (key: string) => boolean;
  /** throws a FieldError */
  map: (source: Source) => Mapped;
};

/** A value that cannot be converted, or a person who must not be imported. `field` is the name in the row. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly field: string;
  readonly code: string;

  constructor(field: string, code: string) {
    super(`${field}: ${code}`);
    this.field = field;
    this.code = code;
  }
}

/** Returns a trimmed text, or undefined for an empty or missing value. Numbers become text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** Returns whether a value means true. Exports contain `true`, `TRUE`, `t`, `1` and `yes`. */
export const isTrue = (value: unknown): boolean => value === true || /^(?:true|t|1|yes|y)$/i.test(textOf(value) ?? "");

/** Returns the object in a value that may also be JSON text. Throws a FieldError for invalid JSON. */
export function objectOf(value: unknown, field: string): Source {
  const parsed = parsedOf(value, field);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as Source) : {};
}

/** Returns the objects of a list that may also be JSON text. Throws a FieldError for invalid JSON. */
export function objectsOf(value: unknown, field: string): Source[] {
  const parsed = parsedOf(value, field);
  const list: unknown[] = Array.isArray(parsed) ? parsed : [];
  return list.filter((item): item is Source => typeof item === "object" && item !== null);
}

function parsedOf(value: unknown, field: string): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new FieldError(field, "invalid_json");
  }
}

/** Returns the language of a tag such as `fr-CA`, or undefined for a language that the platform does not have. */
export function languageOf(value: unknown): "en" | "fr" | undefined {
  const tag = /^(en|fr)(?:[-_].*)?$/i.exec(textOf(value) ?? "")?.[1]?.toLowerCase();
  return tag === "en" || tag === "fr" ? tag : undefined;
}

const EARLIEST_MS = Date.UTC(1990, 0);

/**
 * Returns a time as ISO 8601. Reads ISO times with `T` or a space, and with or without a zone (then UTC), and unix times in
 * seconds or milliseconds. Throws a FieldError for another text.
 */
export function timeOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : textOf(value);
  if (text === undefined) return undefined;
  if (/^\d{9,14}(?:\.\d+)?$/.test(text)) {
    const ms = Number(text) < EARLIEST_MS ? Number(text) * 1000 : Number(text);
    return new Date(Math.round(ms)).toISOString();
  }
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
    text,
  );
  if (!match) throw new FieldError("created_at", "invalid");
  const [, date, time = "00:00:00", zone = "Z"] = match;
  const offset = /^(?:Z|UTC)$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const ms = Date.parse(`${date}T${time}${offset}`);
  if (Number.isNaN(ms) || !isRealDate(String(date))) throw new FieldError("created_at", "invalid");
  return new Date(ms).toISOString();
}

const isRealDate = (date: string) => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/**
 * Returns first and last name, from these names or else from the full name. Ignores a name that is an address, because
 * services use the address when they know no name.
 */
export function namesOf(first: unknown, last: unknown, full: unknown): Pick<Row, "first_name" | "last_name"> {
  const name = (value: unknown) => {
    const text = textOf(value);
    return text === undefined || /\S@\S/.test(text) ? undefined : text;
  };
  const [firstName, lastName] = [name(first), name(last)];
  if (firstName !== undefined || lastName !== undefined) return { first_name: firstName, last_name: lastName };
  const [word, ...rest] = (name(full) ?? "").split(/\s+/);
  return { first_name: word || undefined, last_name: rest.join(" ") || undefined };
}

/** Throws a FieldError for a person whom the service has blocked, because an import would let them in again. */
export function refuseBlocked(isBlocked: boolean): void {
  if (isBlocked) throw new FieldError("email", "blocked_account");
}

const MICROSOFT_ISSUER = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/i;

type Account = { provider: string; subject: unknown; issuer?: unknown };
type Provider = "google" | "github" | "apple" | "microsoft";

/**
 * Returns the accounts of providers that the platform supports, and the names of the others. `names` maps the provider names of
 * a service; null is a provider that is no account of another service, such as a password.
 */
export function accountsOf(
  accounts: readonly Account[],
  names: Readonly<Record<string, Provider | null>>,
): { accounts: NonNullable<Row["provider_accounts"]>; unsupportedProviders: string[] } {
  const result: ReturnType<typeof accountsOf> = { accounts: [], unsupportedProviders: [] };
  for (const { provider, subject, issuer } of accounts) {
    const platformProvider = Object.hasOwn(names, provider) ? names[provider] : undefined;
    const id = textOf(subject);
    if (platformProvider === null) continue;
    const hasIssuer = platformProvider !== "microsoft" || MICROSOFT_ISSUER.test(textOf(issuer) ?? "");
    if (platformProvider === undefined || id === undefined || !hasIssuer) {
      result.unsupportedProviders.push(provider);
    } else {
      const issuerField = platformProvider === "microsoft" ? { issuer: String(issuer) } : {};
      result.accounts.push({ provider: platformProvider, subject: id, ...issuerField });
    }
  }
  return result;
}

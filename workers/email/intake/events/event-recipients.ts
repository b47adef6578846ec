import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { canonicalAddress } from "../../../../schemas/text/address";
import { plainName } from "../../../../schemas/text/name";
import { isAbsent, isObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { ActiveRule } from "../rules/active-rules";
import {
  type Recipient,
  type RecipientResult,
  readRecipient,
  readTimeZone,
  requireRecipients,
} from "../submission/fields";

/** A recipient of an event. `language` is null without a preference. `name` is for the greeting, "" when unknown. */
export type EventRecipient = Recipient & { language: EmailLanguage | null; name: string };

/** The recipients in an event request. Each address occurs once; only the first `max` entries are parsed. */
export type RequestRecipients = {
  entries: readonly { entry: unknown; result: RecipientResult }[];
  areTooMany: boolean;
};

/** Reads the recipients of an event. Invalid entries are returned as results. Throws 400 unless the value is a list. */
export function readRequestRecipients(value: unknown, max: number): RequestRecipients {
  if (isAbsent(value)) return { entries: [], areTooMany: false };
  if (!Array.isArray(value)) throw invalid({ recipients: ["invalid"] });
  const distinctEntries = distinct(value);
  const entries = distinctEntries
    .slice(0, max)
    .map(({ entry, index }) => ({ entry, result: readRecipient(withKnownTimeZone(entry), pathOf(index)) }));
  return { entries, areTooMany: distinctEntries.length > max };
}

/**
 * Returns the recipients of each rule: the addresses of the rule or the recipients in the request. Throws 400 with
 * `recipients: [too_many]`, or `recipient_invalid` with every invalid address.
 */
export function resolveRecipients(
  rules: readonly ActiveRule[],
  hints: RequestRecipients,
): { rule: ActiveRule; recipients: readonly EventRecipient[] }[] {
  const usesHints = rules.some(({ recipient_mode }) => recipient_mode === "hints");
  const requestRecipients = usesHints ? requireRequestRecipients(hints) : [];
  return rules.map((rule) => {
    const ruleRecipients = rule.addresses.map((email, index) => ({
      email,
      userId: null,
      timeZone: "UTC",
      path: pathOf(index),
      language: null,
      name: "",
    }));
    return { rule, recipients: rule.recipient_mode === "static" ? ruleRecipients : requestRecipients };
  });
}

/**
 * Returns the entry without a time zone that is unknown. It counts as missing like an unknown language, because services send the
 * preferences of users, which may be any text.
 */
const withKnownTimeZone = (entry: unknown): unknown =>
  isObject(entry) && readTimeZone(entry.time_zone) === null ? { ...entry, time_zone: null } : entry;

const pathOf = (index: number) => `recipients.${index}`;

function requireRequestRecipients({ entries, areTooMany }: RequestRecipients): EventRecipient[] {
  if (areTooMany) throw invalid({ recipients: ["too_many"] });
  const recipients = requireRecipients(entries.map(({ result }) => result));
  return recipients.map((recipient, index) => {
    const entry = entries[index]?.entry;
    return { ...recipient, language: languageIn(entry), name: nameIn(entry) };
  });
}

/** Returns the entries with their index. Omits entries without an address, and duplicate addresses (ignoring case). */
function distinct(hints: readonly unknown[]): { entry: unknown; index: number }[] {
  const keys = new Set<string | number>();
  return hints.flatMap((entry, index) => {
    const email = addressIn(entry);
    const text = typeof email === "string" ? canonicalAddress(email) : null;
    // An entry without an address is ignored, because users may have none.
    if (isObject(entry) && (isAbsent(email) || text === "")) return [];
    const key = text ?? index;
    if (keys.has(key)) return [];
    keys.add(key);
    return [{ entry, index }];
  });
}

const addressIn = (entry: unknown): unknown => (isObject(entry) ? entry.email : null);

const MAX_NAME = 100;

/** Returns the name of an entry as plain text, or "" when it is missing or invalid. */
function nameIn(entry: unknown): string {
  const name = isObject(entry) && typeof entry.name === "string" ? plainName(entry.name) : "";
  return name.length > MAX_NAME || /\p{Cc}/u.test(name) ? "" : name;
}

/** Returns the language of an entry, or null when it is missing or not supported. */
function languageIn(entry: unknown): EmailLanguage | null {
  const language = isObject(entry) ? entry.language : null;
  return EMAIL_LANGUAGES.find((supported) => supported === language) ?? null;
}

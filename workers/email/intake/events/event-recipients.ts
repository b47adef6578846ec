import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { canonicalAddress } from "../../../../schemas/text/address";
import { plainName } from "../../../../schemas/text/name";
import { isAbsent, isObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { ActiveRule } from "../rules/active-rules";
import { type Recipient, type RecipientResult, readRecipient, requireRecipients } from "../submission/fields";

/** A recipient of an event; `language` null: they have not said any; `name`: what mail greets them by, "" where it is not known. */
export type EventRecipient = Recipient & { language: EmailLanguage | null; name: string };

/** The recipients that an event names, each address once, with the first `max` of them read. */
export type Hints = { entries: readonly { entry: unknown; result: RecipientResult }[]; areTooMany: boolean };

/** The recipients of an event, of which nothing may be wrong but the addresses; 400 `recipients: [invalid]` for no list. */
export function readHints(value: unknown, max: number): Hints {
  if (isAbsent(value)) return { entries: [], areTooMany: false };
  if (!Array.isArray(value)) throw invalid({ recipients: ["invalid"] });
  const userIds = distinct(value);
  const entries = userIds
    .slice(0, max)
    .map(({ entry, index }) => ({ entry, result: readRecipient(entry, pathOf(index)) }));
  return { entries, areTooMany: userIds.length > max };
}

/**
 * Who gets the mail of each rule: its own addresses, or those that the event names. 400 `recipients:
 * [too_many]`, `recipient_invalid` with each wrong address.
 */
export function resolveRecipients(
  rules: readonly ActiveRule[],
  hints: Hints,
): { rule: ActiveRule; recipients: readonly EventRecipient[] }[] {
  const takesHints = rules.some(({ recipient_mode }) => recipient_mode === "hints");
  const hinted = takesHints ? requireHinted(hints) : [];
  return rules.map((rule) => {
    const ruleRecipients = rule.addresses.map((email, index) => ({
      email,
      userId: null,
      path: pathOf(index),
      language: null,
      name: "",
    }));
    return { rule, recipients: rule.recipient_mode === "static" ? ruleRecipients : hinted };
  });
}

const pathOf = (index: number) => `recipients.${index}`;

function requireHinted({ entries, areTooMany }: Hints): EventRecipient[] {
  if (areTooMany) throw invalid({ recipients: ["too_many"] });
  const recipients = requireRecipients(entries.map(({ result }) => result));
  return recipients.map((recipient, index) => {
    const entry = entries[index]?.entry;
    return { ...recipient, language: languageIn(entry), name: nameIn(entry) };
  });
}

/** The entries with an address, each address once whatever its case, and where they stand. */
function distinct(hints: readonly unknown[]): { entry: unknown; index: number }[] {
  const seenRecipients = new Set<string | number>();
  return hints.flatMap((entry, index) => {
    const email = addressIn(entry);
    const text = typeof email === "string" ? canonicalAddress(email) : null;
    // Nobody is named: that is told by others, and no fault of the rest.
    if (isObject(entry) && (isAbsent(email) || text === "")) return [];
    const key = text ?? index;
    if (seenRecipients.has(key)) return [];
    seenRecipients.add(key);
    return [{ entry, index }];
  });
}

const addressIn = (entry: unknown): unknown => (isObject(entry) ? entry.email : null);

const MAX_NAME = 100;

/** The name in an entry as others may read it; anything that is none counts as not known. */
function nameIn(entry: unknown): string {
  const name = isObject(entry) && typeof entry.name === "string" ? plainName(entry.name) : "";
  return name.length > MAX_NAME || /\p{Cc}/u.test(name) ? "" : name;
}

/** The language of an entry; anything that is none counts as not said. */
function languageIn(entry: unknown): EmailLanguage | null {
  const language = isObject(entry) ? entry.language : null;
  return EMAIL_LANGUAGES.find((supported) => supported === language) ?? null;
}

import type { ValueType } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { isObject } from "../../../kit/json";
import { memoizePerIsolate } from "../../../kit/memoize-per-isolate";

/** The language of a message and the IANA time zone of its recipient. */
export type ValueFormat = { language: EmailLanguage; timeZone: string };

/** Returns the text of a JSON value, or null when the value has another type. */
type Format = (value: unknown, format: ValueFormat) => string | null;

// English texts of mails use British forms, like the texts that identity passes.
const LOCALES: Readonly<Record<EmailLanguage, string>> = { en: "en-GB", fr: "fr" };

const BOOLEANS: Readonly<Record<EmailLanguage, readonly [string, string]>> = { en: ["Yes", "No"], fr: ["Oui", "Non"] };

const MAX_DECIMALS = 10;
const DECIMAL = new RegExp(`^-?\\d{1,15}(?:\\.\\d{1,${MAX_DECIMALS}})?$`);
const MAX_NUMBER = 1e15;

// A formatter takes about 30 KB of memory, so formatters are cached.
const numberFormat = memoizePerIsolate(
  2,
  (language: EmailLanguage) => new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: MAX_DECIMALS }),
);
const moneyFormat = memoizePerIsolate(
  32,
  (language: EmailLanguage, currency: string) =>
    new Intl.NumberFormat(LOCALES[language], { style: "currency", currency }),
);
const DAY = { day: "numeric", month: "long", year: "numeric" } as const;
const dayFormat = memoizePerIsolate(
  2,
  (language: EmailLanguage) => new Intl.DateTimeFormat(LOCALES[language], { ...DAY, timeZone: "UTC" }),
);
const timeFormat = memoizePerIsolate(
  32,
  (language: EmailLanguage, timeZone: string) =>
    new Intl.DateTimeFormat(LOCALES[language], {
      ...DAY,
      hour: "2-digit",
      minute: "2-digit",
      timeZone,
      timeZoneName: "short",
    }),
);

/** Returns a JSON number or a decimal text in the form that Intl formats without a loss of digits, or null. */
function decimalOf(value: unknown): Intl.StringNumericLiteral | null {
  const isDecimal =
    typeof value === "number" ? Math.abs(value) < MAX_NUMBER : typeof value === "string" && DECIMAL.test(value);
  return isDecimal ? (String(value) as Intl.StringNumericLiteral) : null;
}

const formatNumber: Format = (value, { language }) => {
  const decimal = decimalOf(value);
  return decimal === null ? null : numberFormat(language).format(decimal);
};

let currencies: ReadonlySet<string> | undefined;

function isCurrency(code: unknown): code is string {
  currencies ??= new Set(Intl.supportedValuesOf("currency"));
  return typeof code === "string" && currencies.has(code);
}

const formatMoney: Format = (value, { language }) => {
  if (!isObject(value) || !isCurrency(value.currency)) return null;
  const amount = decimalOf(value.amount);
  return amount === null ? null : moneyFormat(language, value.currency).format(amount);
};

const ISO_DATE =
  /^([1-9]\d{3}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** Formats an ISO 8601 date, or a date and time in the time zone. A time without an offset is in UTC. */
const formatDate: Format = (value, { language, timeZone }) => {
  const [, date, time, offset = "Z"] = (typeof value === "string" && ISO_DATE.exec(value)) || [];
  if (date === undefined) return null;
  const day = new Date(`${date}T00:00:00Z`);
  // Date.parse accepts the 30th of February as a day in March.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return null;
  if (time === undefined) return withOrdinal(dayFormat(language).format(day), language);
  // A no-break space keeps the name of the time zone on the line of the time.
  const text = timeFormat(language, timeZone).format(new Date(`${date}T${time}${offset}`));
  return withOrdinal(text.replace(/ (?=\S+$)/, "\u00a0"), language);
};

/** Writes the first day of a month as French does: 1er décembre. Intl has no such form. */
const withOrdinal = (text: string, language: EmailLanguage): string =>
  language === "fr" ? text.replace(/^1 /, "1er ") : text;

const formatBoolean: Format = (value, { language }) =>
  typeof value === "boolean" ? BOOLEANS[language][value ? 0 : 1] : null;

/** The formats of value types except text, URLs and lists. */
export const VALUE_FORMATS: Readonly<Partial<Record<ValueType, Format>>> = {
  number: formatNumber,
  date: formatDate,
  money: formatMoney,
  boolean: formatBoolean,
};

import type { EventTypeRow } from "../../../../db/email/rows";
import { SAMPLES, type VariableInput } from "../../../../schemas/email/content/event-types";
import type { FieldErrors } from "../../../../schemas/errors";
import { isAbsent, isObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { VALUE_FORMATS } from "../../content/catalog/value-format";

type StoredVariable = EventTypeRow["variables"][number];
type PlainType = keyof typeof SAMPLES;

const MAX_SAMPLE_ITEMS = 20;

const DEFAULT_SAMPLES = {
  url: "https://shop.example.com/",
  number: 2,
  date: "2026-01-31",
  money: { amount: "19.90", currency: "EUR" },
  boolean: true,
} as const satisfies Record<Exclude<PlainType, "text">, unknown>;

/**
 * Returns the variables of an event type, with labels in both languages and a sample. Throws 400 with the path of each error, such
 * as `variables.0.sample: [invalid]`.
 */
export function readVariableInputs(inputs: readonly VariableInput[]): StoredVariable[] {
  const errors: FieldErrors = {};
  const variables = inputs.map((input, index) => {
    const path = `variables.${index}`;
    return input.value_type === "list" ? readList(input, path, errors) : readPlain(input, path, errors);
  });
  reportRepeated(variables, "variables", errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return variables;
}

/** Fills the missing language of a text with the other one, or both with `fallback`. */
export function inBothLanguages<T>(texts: { en?: T | undefined; fr?: T | undefined } | undefined, fallback: T) {
  return { en: texts?.en ?? texts?.fr ?? fallback, fr: texts?.fr ?? texts?.en ?? fallback };
}

function readPlain(input: VariableInput, path: string, errors: FieldErrors): StoredVariable {
  if (input.fields !== undefined) errors[`${path}.fields`] = ["not_allowed"];
  return readField(input, path, errors);
}

function readField(
  { name: token, value_type, required, labels, sample }: Omit<VariableInput, "fields">,
  path: string,
  errors: FieldErrors,
): StoredVariable {
  const texts = inBothLanguages(labels, labelOf(token));
  const type = value_type as PlainType;
  const value = isAbsent(sample) ? (type === "text" ? texts.en : DEFAULT_SAMPLES[type]) : sample;
  return { token, value_type, required, labels: texts, sample: readSample(type, value, `${path}.sample`, errors) };
}

function readList(
  { name: token, value_type, required, labels, sample, fields = [] }: VariableInput,
  path: string,
  errors: FieldErrors,
): StoredVariable {
  if (fields.length === 0) errors[`${path}.fields`] = ["required"];
  const itemFields = fields.map((field, index) => readField(field, `${path}.fields.${index}`, errors));
  reportRepeated(itemFields, `${path}.fields`, errors);
  const items = isAbsent(sample) ? [itemOf(itemFields)] : readItems(itemFields, sample, `${path}.sample`, errors);
  return {
    token,
    value_type,
    required,
    labels: inBothLanguages(labels, labelOf(token)),
    sample: items,
    fields: itemFields,
  };
}

const itemOf = (fields: readonly StoredVariable[]) =>
  Object.fromEntries(fields.map(({ token, sample }) => [token, sample]));

/** Returns the sample items of a list with only the declared fields. */
function readItems(fields: readonly StoredVariable[], value: unknown, path: string, errors: FieldErrors): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_SAMPLE_ITEMS) {
    errors[path] = ["invalid"];
    return [];
  }
  return value.map((item: unknown, index) => {
    if (!isObject(item)) errors[`${path}.${index}`] = ["invalid"];
    const values = isObject(item) ? item : {};
    const given = fields.filter(({ token }) => Object.hasOwn(values, token) && !isAbsent(values[token]));
    return Object.fromEntries(
      given.map(({ token, value_type }) => [
        token,
        readSample(value_type as PlainType, values[token], `${path}.${index}.${token}`, errors),
      ]),
    );
  });
}

function readSample(type: PlainType, value: unknown, path: string, errors: FieldErrors): unknown {
  const result = SAMPLES[type]().safeParse(value);
  const text = VALUE_FORMATS[type]?.(result.data, { language: "en", timeZone: "UTC" });
  if (!result.success || text === null) errors[path] = ["invalid"];
  return result.data;
}

function reportRepeated(variables: readonly StoredVariable[], path: string, errors: FieldErrors): void {
  const names = variables.map(({ token }) => token);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) errors[`${path}.${index}.name`] = ["duplicate"];
  });
}

/** Returns the label of a variable without labels: `order_number` becomes `Order number`. */
const labelOf = (token: string) => (token.charAt(0).toUpperCase() + token.slice(1)).replaceAll("_", " ");

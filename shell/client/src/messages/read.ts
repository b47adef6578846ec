// Readers of payload fields: each returns a valid value or undefined.

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a payload, or undefined when it is not a plain object. */
export const readFields = (payload: unknown): Fields | undefined =>
  typeof payload === "object" && payload !== null && !Array.isArray(payload) ? (payload as Fields) : undefined;

/** Returns a text of 1 to `max` characters. */
export const readText = (value: unknown, max: number): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= max ? value : undefined;

/** Returns a number from `min` to `max`. */
export const readNumber = (value: unknown, min: number, max: number): number | undefined =>
  typeof value === "number" && value >= min && value <= max ? value : undefined;

/** Returns the value if it is one of `choices`. */
export const readOneOf = <Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined =>
  choices.find((choice) => choice === value);

type Readers = Record<string, (value: unknown) => unknown>;
type Read<FieldReaders extends Readers> = {
  [Key in keyof FieldReaders]?: Exclude<ReturnType<FieldReaders[Key]>, undefined>;
};

/** Reads optional fields. Returns undefined if one of them is invalid. An empty text counts as absent. */
export function readOptional<FieldReaders extends Readers>(
  fields: Fields,
  readers: FieldReaders,
): Read<FieldReaders> | undefined {
  const read: Record<string, unknown> = {};
  for (const [key, reader] of Object.entries(readers)) {
    const field = fields[key];
    if (field === undefined || field === "") continue;
    const value = reader(field);
    if (value === undefined) return undefined;
    read[key] = value;
  }
  return read as Read<FieldReaders>;
}

/** Returns the object without undefined fields. */
export function compact<Shape extends object>(
  fields: Shape,
): { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> };
}

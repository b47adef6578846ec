// Parts of payloads, read one by one: a value of the right kind, or undefined.

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a payload; undefined when it is no plain object. */
export const readFields = (payload: unknown): Fields | undefined =>
  typeof payload === "object" && payload !== null && !Array.isArray(payload) ? (payload as Fields) : undefined;

/** A text of at least one and at most `max` characters. */
export const readText = (value: unknown, max: number): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= max ? value : undefined;

/** A number between two others. */
export const readNumber = (value: unknown, min: number, max: number): number | undefined =>
  typeof value === "number" && value >= min && value <= max ? value : undefined;

/** One of a few. */
export const readOneOf = <Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined =>
  choices.find((choice) => choice === value);

type Readers = Record<string, (value: unknown) => unknown>;
type Read<FieldReaders extends Readers> = {
  [Key in keyof FieldReaders]?: Exclude<ReturnType<FieldReaders[Key]>, undefined>;
};

/** Fields that need not be given; undefined when one is, but is not what it may be. An empty text is none. */
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

/** An object without the fields that are undefined. */
export function compact<Shape extends object>(
  fields: Shape,
): { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> };
}

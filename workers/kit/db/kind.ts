import type { DriverValueDecoder, DriverValueEncoder, GetColumnData } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

/** A value as D1 takes and gives it. */
export type SqlValue = string | number | null;

/** How a value that belongs to no column is stored and read; a column is a kind too. Null is null in every kind. */
export type Kind<T> = DriverValueEncoder<T, SqlValue> & DriverValueDecoder<T, SqlValue>;

/** Whatever says how a value is stored and read: a column of the schema, or a kind. */
export type Codec = AnySQLiteColumn | Kind<never> | Kind<unknown>;

/** The value of a codec; null among it where the column may be null. */
export type ValueOf<C> = C extends AnySQLiteColumn ? GetColumnData<C> : C extends Kind<infer T> ? T : never;

/** Whole numbers, unix milliseconds among them. */
export const integer: Kind<number> = { mapToDriverValue: (value) => value, mapFromDriverValue: Number };

/** Text as it is. */
export const text: Kind<string> = { mapToDriverValue: (value) => value, mapFromDriverValue: String };

/** True and false, stored as 1 and 0. */
export const boolean: Kind<boolean> = {
  mapToDriverValue: (value) => (value ? 1 : 0),
  mapFromDriverValue: (value) => Number(value) === 1,
};

/** A value stored as JSON text; a list of rows that a statement reads with `json_each` is one too. */
export function json<T>(): Kind<T> {
  return {
    mapToDriverValue: (value) => JSON.stringify(value),
    mapFromDriverValue: (value) => JSON.parse(String(value)) as T,
  };
}

/** As the codec, or null. */
export function nullable<C extends Codec>(codec: C): Kind<ValueOf<C> | null> {
  return codec as unknown as Kind<ValueOf<C> | null>;
}

/** The stored form of a value. */
export function encode(codec: Codec, value: unknown): SqlValue {
  if (value === null) return null;
  return (codec as DriverValueEncoder<unknown, SqlValue>).mapToDriverValue(value) as SqlValue;
}

/** The value of a stored form. */
export function decode(codec: Codec, stored: SqlValue): unknown {
  if (stored === null) return null;
  return (codec as DriverValueDecoder<unknown, SqlValue>).mapFromDriverValue(stored);
}

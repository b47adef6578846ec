import type { DriverValueDecoder, DriverValueEncoder, GetColumnData } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

/** A value as D1 stores it. */
export type SqlValue = string | number | null;

/** Encodes and decodes values that have no column. Every kind stores null as null. */
export type Kind<T> = DriverValueEncoder<T, SqlValue> & DriverValueDecoder<T, SqlValue>;

/** Defines how a value is stored and read: a column of the schema, or a kind. */
export type Codec = AnySQLiteColumn | Kind<never> | Kind<unknown>;

/** The value type of a codec; includes null where the column is nullable. */
export type ValueOf<C> = C extends AnySQLiteColumn ? GetColumnData<C> : C extends Kind<infer T> ? T : never;

/** Integers, including times in unix milliseconds. */
export const integer: Kind<number> = { mapToDriverValue: (value) => value, mapFromDriverValue: Number };

/** Text, stored unchanged. */
export const text: Kind<string> = { mapToDriverValue: (value) => value, mapFromDriverValue: String };

/** Booleans, stored as 1 and 0. */
export const boolean: Kind<boolean> = {
  mapToDriverValue: (value) => (value ? 1 : 0),
  mapFromDriverValue: (value) => Number(value) === 1,
};

/**
 * Returns the kind of values that are stored as JSON text. Statements also use it for lists that they read with
 * `json_each`.
 */
export function json<T>(): Kind<T> {
  return {
    mapToDriverValue: (value) => JSON.stringify(value),
    mapFromDriverValue: (value) => JSON.parse(String(value)) as T,
  };
}

/** Returns a kind that also allows null. */
export function nullable<C extends Codec>(codec: C): Kind<ValueOf<C> | null> {
  return codec as unknown as Kind<ValueOf<C> | null>;
}

/** Encodes a value for D1. */
export function encode(codec: Codec, value: unknown): SqlValue {
  if (value === null) return null;
  return (codec as DriverValueEncoder<unknown, SqlValue>).mapToDriverValue(value) as SqlValue;
}

/** Decodes a stored value. */
export function decode(codec: Codec, stored: SqlValue): unknown {
  if (stored === null) return null;
  return (codec as DriverValueDecoder<unknown, SqlValue>).mapFromDriverValue(stored);
}

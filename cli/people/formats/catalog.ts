import { auth0 } from "./auth0.ts";
import { clerk } from "./clerk.ts";
import { cognito } from "./cognito.ts";
import { csv } from "./csv.ts";
import { firebase } from "./firebase.ts";
import type { Format } from "./format.ts";
import { supabase } from "./supabase.ts";

/** The formats by name, in the order in which they are tried. `csv` is last, because it needs only an address. */
export const formats: Readonly<Record<string, Format>> = { clerk, supabase, cognito, firebase, auth0, csv };

/** Returns the format whose keys the first person of a file has, or undefined. */
export function detectFormat(keys: readonly string[]): Format | undefined {
  const present = new Set(keys);
  return Object.values(formats).find(({ matches }) => matches(present));
}

const [idColumn, addressColumn, verifiedColumn] = [0, 1, 2];

/** Returns whether the first line of a CSV file is a person of a Firebase export, which has no header line. */
export const isFirebaseLine = (cells: readonly string[]): boolean =>
  cells.length >= 26 &&
  cells[idColumn] !== "" &&
  /^$|@/.test(cells[addressColumn] ?? "") &&
  /^(?:true|false)$/.test(cells[verifiedColumn] ?? "");

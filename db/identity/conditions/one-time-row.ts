import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { oauth_states, sign_in_requests } from "../schema";

/** The key of a sign-in's one-time row, and the nonce that consumed it. */
type Consumption = { key: SQLWrapper; nonce: SQLWrapper };

/**
 * The condition, by sign-in method, that `nonce` consumed the one-time row `key`. The key is the id of the request or
 * the hash of the state.
 */
export const oneTimeRows = {
  magic_link: ({ key, nonce }) => sql`exists (select 1 from ${sign_in_requests}
    where ${sign_in_requests.id} = ${key} and ${sign_in_requests.consume_nonce} = ${nonce})`,
  oauth: ({ key, nonce }) => sql`exists (select 1 from ${oauth_states}
    where ${oauth_states.state_hash} = ${key} and ${oauth_states.use_nonce} = ${nonce})`,
} satisfies Record<string, (consumption: Consumption) => SQL>;

/** The sign-in method. */
export type Source = keyof typeof oneTimeRows;

/** Returns one value per sign-in method, built by `make`. */
export function bySource<T>(make: (isConsumedBy: (consumption: Consumption) => SQL) => T): Record<Source, T> {
  const entries = Object.entries(oneTimeRows).map(([source, isConsumedBy]) => [source, make(isConsumedBy)]);
  return Object.fromEntries(entries) as Record<Source, T>;
}

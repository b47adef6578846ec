import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { oauth_states, sign_in_requests } from "./schema";

/** The one-time row of a sign-in, and the nonce that spends it. */
type Use = { key: SQLWrapper; nonce: SQLWrapper };

/**
 * The rows that a sign-in spends, by the method that makes them: whether `nonce` is what spent the row `key`, the id of the
 * request or the hash of the state.
 */
export const oneTimeRows = {
  magic_link: ({ key, nonce }) => sql`exists (select 1 from ${sign_in_requests}
    where ${sign_in_requests.id} = ${key} and ${sign_in_requests.consume_nonce} = ${nonce})`,
  oauth: ({ key, nonce }) => sql`exists (select 1 from ${oauth_states}
    where ${oauth_states.state_hash} = ${key} and ${oauth_states.use_nonce} = ${nonce})`,
} satisfies Record<string, (use: Use) => SQL>;

/** The method by which a sign-in comes. */
export type Source = keyof typeof oneTimeRows;

/** The same for each method. */
export function bySource<T>(make: (isConsumedBy: (use: Use) => SQL) => T): Record<Source, T> {
  const made = Object.entries(oneTimeRows).map(([source, isConsumedBy]) => [source, make(isConsumedBy)]);
  return Object.fromEntries(made) as Record<Source, T>;
}

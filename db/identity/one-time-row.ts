import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { oauth_states, sign_in_requests } from "./schema";

/** The one-time row of a sign-in, and the nonce that consumes it. */
type Consumption = { key: SQLWrapper; nonce: SQLWrapper };

/** By sign-in method: whether `nonce` consumed the one-time row `key`, the id of the request or the hash of the state. */
export const oneTimeRows = {
  magic_link: ({ key, nonce }) => sql`exists (select 1 from ${sign_in_requests}
    where ${sign_in_requests.id} = ${key} and ${sign_in_requests.consume_nonce} = ${nonce})`,
  oauth: ({ key, nonce }) => sql`exists (select 1 from ${oauth_states}
    where ${oauth_states.state_hash} = ${key} and ${oauth_states.use_nonce} = ${nonce})`,
} satisfies Record<string, (consumption: Consumption) => SQL>;

/** The sign-in method. */
export type Source = keyof typeof oneTimeRows;

/** Builds the same value for each method. */
export function bySource<T>(make: (isConsumedBy: (consumption: Consumption) => SQL) => T): Record<Source, T> {
  const entries = Object.entries(oneTimeRows).map(([source, isConsumedBy]) => [source, make(isConsumedBy)]);
  return Object.fromEntries(entries) as Record<Source, T>;
}

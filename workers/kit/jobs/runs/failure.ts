import { DatabaseError } from "../../db/db";
import { BrokerError } from "../lock/broker";
import { sanitizeMessage } from "./failure-message";

/** The `error_key` of a failed run. An interrupted run has the key `interrupted` instead. */
export type FailureKey = "broker_error" | "database_error" | "timeout" | "network_error" | "unexpected_error";

/** A failed run: key, class (at most 128 characters) and sanitized message. */
export type Failure = { key: FailureKey; name: string; message: string };

const MAX_NAME = 128;
const NETWORK =
  /network|fetch failed|connection (?:refused|reset|lost|closed)|socket|dns|getaddrinfo|ECONN|ENOTFOUND|EHOSTUNREACH|unreachable/i;

/** The kinds of failures in order; the first match wins. */
const KINDS: readonly [FailureKey, (error: Error) => boolean][] = [
  ["broker_error", (error) => error instanceof BrokerError],
  ["database_error", (error) => error instanceof DatabaseError || /^D1_/.test(error.message)],
  ["timeout", (error) => ["AbortError", "TimeoutError"].includes(error.name)],
  ["network_error", (error) => NETWORK.test(error.message)],
];

/** Returns the key, class and message of an error. The causes of the error are considered for the key. */
export function describeFailure(thrown: unknown): Failure {
  const errors = chainOf(thrown);
  const kind = KINDS.find(([, matches]) => errors.some(matches));
  const [error] = errors;
  if (error === undefined) return { key: "unexpected_error", name: typeof thrown, message: "no error was thrown" };
  const name = (error.name || "Error").slice(0, MAX_NAME);
  return { key: kind?.[0] ?? "unexpected_error", name, message: sanitizeMessage(error.message) };
}

/** Returns the error and its causes, at most five in total. */
function chainOf(thrown: unknown): Error[] {
  const chain: Error[] = [];
  for (let error = thrown; error instanceof Error && chain.length < 5; error = error.cause) chain.push(error);
  return chain;
}

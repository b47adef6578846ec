import { randomHex } from "../../../kit/crypto/random";

/**
 * Returns the username candidates for a new account: the local part of the address in ASCII without `+tag`, two numbered
 * variants, and a random name.
 */
export function usernameCandidates(email: string, randomHex: string): [string, string, string, string] {
  const local = email.slice(0, email.indexOf("@")).split("+")[0] ?? "";
  const base =
    local
      .normalize("NFKD")
      .replace(/[^a-z0-9._-]/g, "")
      .slice(0, 60) || "user";
  return [base, `${base}2`, `${base}3`, `user_${randomHex}`];
}

/** Returns the candidates as statement parameters. The first candidate that is free becomes the username. */
export function newUsernames(email: string) {
  const [username, username2, username3, randomUsername] = usernameCandidates(email, randomHex(6));
  return { username, username2, username3, randomUsername };
}

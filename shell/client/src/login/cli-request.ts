import type { CommandLine } from "../session/sign-in.ts";

/**
 * Returns the redirect URL and PKCE challenge of the command line tool that opened this page. Returns null if no tool opened
 * the page, or if the redirect URL does not point to this machine.
 */
export function readCliRequest(search: string): CommandLine | null {
  const query = new URLSearchParams(search);
  const redirectTo = query.get("platform_cli_redirect");
  const challenge = query.get("code_challenge");
  if (redirectTo === null || challenge === null || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) return null;
  if (!URL.canParse(redirectTo)) return null;
  const { protocol, hostname, username, password } = new URL(redirectTo);
  const isLoopback = hostname === "127.0.0.1" || hostname === "[::1]" || hostname === "localhost";
  return protocol === "http:" && isLoopback && username === "" && password === "" ? { redirectTo, challenge } : null;
}

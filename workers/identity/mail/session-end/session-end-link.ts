import type { Bound } from "../../../kit/db/statement";
import type { IdentityServices } from "../../services";
import { findSessionToEnd, type SessionToEnd } from "./session-end.store";
import { makeSessionEndToken } from "./session-end-token";

export type { SessionToEnd } from "./session-end.store";

/** Returns the statement that selects a session with the values that its mail and its page show. */
export function selectSessionToEnd(sid: string): Bound<SessionToEnd> {
  return findSessionToEnd({ sid });
}

/** Returns the URL of the page that ends the session. The base URL is the issuer, never a request header. */
export async function sessionEndUrl(services: IdentityServices, sid: string): Promise<string> {
  return `${services.settings.issuer}/api/v1/session-end?token=${await makeSessionEndToken(services, sid)}`;
}

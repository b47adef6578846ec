import type { Bound } from "../../../kit/db/statement";
import type { IdentityServices } from "../../services";
import { findSessionToEnd, type SessionToEnd } from "./session-end.store";
import { makeSessionEndToken } from "./session-end-token";

export type { SessionToEnd } from "./session-end.store";

/** Statement: a session with the facts that its mail and page show. */
export function selectSessionToEnd(sid: string): Bound<SessionToEnd> {
  return findSessionToEnd({ sid });
}

/** Returns the URL of the page that ends the session. Its base is the issuer, never a request header. */
export async function sessionEndUrl(services: IdentityServices, sid: string): Promise<string> {
  return `${services.settings.issuer}/api/v1/session-end?token=${await makeSessionEndToken(services, sid)}`;
}

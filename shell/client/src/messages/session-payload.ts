import type { SessionChange } from "../../../../schemas/shell/messages.ts";
import type { Frame } from "../frames/frame.ts";
import type { Shell } from "../shell/shell.ts";
import { phaseOf } from "../shell/viewer.ts";

/** How long a response waits for a token, ms. After that, the frame may request the token again. */
const MAX_WAIT = 8_000;

/**
 * Returns the session data that a frame receives by its trust level: nothing, the user, or the user and the access token.
 * Returns an empty object without a backend. Rejects when no token is available within 8 seconds.
 */
export async function sessionPayload({ page, session }: Shell, frame: Frame, minTtl?: number): Promise<SessionChange> {
  if (page.get().config.backend === undefined || session === null || frame.level === "none") return {};
  const state = session.state.get();
  const signedIn = phaseOf(state) === "in" ? state.user : null;
  const user = signedIn === null ? null : { ...signedIn, name: signedIn.name || null };
  if (frame.level !== "token") return { user };
  const signedOut = { user, accessToken: null, expiresAt: null };
  if (user === null) return signedOut;
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, MAX_WAIT, new Error("no token in time")));
  const token = await Promise.race([session.getAccessToken(minTtl === undefined ? {} : { minTtl }), timeout]);
  return token === null ? signedOut : { user, accessToken: token.accessToken, expiresAt: token.expiresAt };
}

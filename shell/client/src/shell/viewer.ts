import type { SessionPhase } from "../router/guard.ts";
import { signedOutViewer, type Viewer } from "../router/navigation.ts";
import type { SessionState } from "../session/session.ts";
import { createStore, useStore } from "../store.ts";
import { useShell } from "./context.ts";
import type { LocalSettings } from "./settings.ts";
import type { Shell } from "./shell.ts";

const firstPaint = createStore<SessionState>({ status: "loading", user: null, error: null });

/** Returns the session state. In the first paint, the status is `loading`. */
export function useSessionState(): SessionState {
  return useStore(useShell().session?.state ?? firstPaint);
}

/** Returns the session phase that guards use. */
export function phaseOf({ status, user }: SessionState): SessionPhase {
  if (status === "none") return "none";
  if (status === "loading") return "waiting";
  // A user whose connection is lost remains signed in. An expired session counts as signed in until the user confirms its end.
  return status === "signed-in" || (status === "reconnecting" && user !== null) || status === "expired" ? "in" : "out";
}

/** Returns the properties of the user that the navigation uses. */
export function viewerOf(state: SessionState, settings: LocalSettings): Viewer {
  const developer = settings.developerMode === true;
  const { user } = state;
  if (phaseOf(state) !== "in" || user === null) return { ...signedOutViewer, developer };
  const { isStaff, isCompanyOwner, groups } = user;
  return { signedIn: true, isStaff, isCompanyOwner, groups, developer };
}

/** Returns the current user. */
export function useViewer(): Viewer {
  return viewerOf(useSessionState(), useStore(useShell().settings));
}

/** Returns the current user outside of components. */
export const currentViewer = ({ session, settings }: Pick<Shell, "session" | "settings">): Viewer =>
  session === null ? signedOutViewer : viewerOf(session.state.get(), settings.get());

import { matchRoute } from "../router/routes.ts";
import type { Shell } from "../shell/shell.ts";
import { phaseOf } from "../shell/viewer.ts";
import { createStore } from "../store.ts";
import { settingsOf } from "./place-owner.ts";

const MAX_RECENT = 8;

/** Owner of the places in a shell without sign-in. */
const EVERYBODY = "everybody";

/**
 * Keeps the paths of the items that the user opened last in this browser. Removes the places of a user at the sign-out and when
 * another user signs in, and loads the pinned places of the account.
 */
export function followPlaces({
  page,
  router,
  settings,
  session,
}: Pick<Shell, "page" | "router" | "settings" | "session">): void {
  const state = session?.state ?? createStore({ status: "none" as const, user: null, error: null });
  let loadedOwner: string | undefined;
  const update = () => {
    const current = state.get();
    const phase = phaseOf(current);
    // The user of a session that is being resumed is not known yet.
    if (phase === "waiting" || (phase === "out" && current.status === "reconnecting")) return;
    const { user } = current;
    const owner =
      phase === "none" ? EVERYBODY : phase === "in" && user ? `${user.companyId ?? ""}/${user.id}` : undefined;
    const isFirstUser = settings.get().placesOwner === undefined;
    const next = settingsOf(owner, settings.get());
    if (next !== settings.get()) settings.set(next);
    if (owner === undefined) {
      loadedOwner = undefined;
      return;
    }
    remember();
    if (session === null || current.status !== "signed-in" || loadedOwner === owner) return;
    loadedOwner = owner;
    void import("./load-pins.ts").then(({ loadPins }) => loadPins({ settings, session }, owner, isFirstUser));
  };
  const remember = () => {
    const { item } = matchRoute(page.get().config, router.get().pathname);
    const { recent = [] } = settings.get();
    if (item === undefined || item.path === recent[0]) return;
    const others = recent.filter((path) => path !== item.path);
    settings.set((last) => ({ ...last, recent: [item.path, ...others].slice(0, MAX_RECENT) }));
  };
  update();
  router.subscribe(update);
  state.subscribe(update);
}

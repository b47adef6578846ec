import type { Session } from "../session/session.ts";
import type { LocalSettings } from "../shell/settings.ts";
import type { Store } from "../store.ts";

/**
 * Replaces the pinned places of this browser by those of the account. Pins of a visitor who signs in become those of an account
 * that has none. A change by the user meanwhile takes precedence. After an error the pins of this browser remain.
 */
export async function loadPins(
  { settings, session }: { settings: Store<LocalSettings>; session: Session },
  owner: string,
  isFirstUser: boolean,
): Promise<void> {
  const before = settings.get().pinned;
  const pinned = await session.withToken((service, token) => service.loadPinned(token)).catch(() => null);
  const { pinned: after, placesOwner } = settings.get();
  if (pinned === null || placesOwner !== owner || String(after) !== String(before)) return;
  if (isFirstUser && pinned.length === 0 && before !== undefined && before.length > 0)
    return session.updatePreferences({ pinned: before });
  if (String(pinned) !== String(before ?? [])) settings.set((last) => ({ ...last, pinned }));
}

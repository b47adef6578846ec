import type { LocalSettings } from "../shell/settings.ts";

/**
 * Returns the settings without recent and pinned places of another user. Visitors who are not signed in (`owner` undefined) have
 * no recent places. Their pins belong to the first user who signs in.
 */
export function settingsOf(owner: string | undefined, settings: LocalSettings): LocalSettings {
  const { recent, pinned, placesOwner, ...others } = settings;
  if (placesOwner === owner && (owner !== undefined || recent === undefined)) return settings;
  return {
    ...others,
    ...(placesOwner === undefined && pinned !== undefined && { pinned }),
    ...(owner !== undefined && { placesOwner: owner }),
  };
}

import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { PreferencesChange } from "../../../../schemas/identity/people/preferences";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { userChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { preferencesOf } from "../profiles/company-user";
import { deletePreferences, putPinned, putPreferences } from "./preferences.store";

/** Returns the names of the changed preferences that events report: language and region, but not theme or color scheme. */
export function changedPreferenceFields(user: CompanyUserRow, change: PreferencesChange): string[] {
  const stored = preferencesOf(user);
  return (["language", "region"] as const).filter((key) => change[key] !== undefined && change[key] !== stored[key]);
}

/**
 * Returns the statement that stores preferences, or null when no field is given. An empty change must not create a row,
 * because a stored row counts as the user's choice of language.
 */
export function storePreferences(
  { clock }: Pick<IdentityServices, "clock">,
  user: CompanyUserRow,
  { themeName, language, region, colorScheme }: PreferencesChange,
): Bound | null {
  const columns = { theme: themeName ?? null, language: language ?? null, region: region ?? null };
  if (colorScheme === undefined && Object.values(columns).every((value) => value === null)) return null;
  return putPreferences({ userId: user.id, ...columns, colorScheme: colorScheme ?? null, now: clock.now() });
}

/** Deletes the stored preferences and pinned places, so that the defaults apply again. */
export async function resetPreferences(services: IdentityServices, caller: Caller): Promise<void> {
  const { user } = caller;
  const defaults = { language: "en", region: "UTC" } as const;
  const fields = changedPreferenceFields(user, defaults);
  const deletion = deletePreferences({ userId: user.id });
  const events: EventKey[] = [];
  const preferences =
    fields.length > 0 ? followedBy(deletion, accountChangeEntry(services, events, caller, fields)) : deletion;
  await batchWithEvents(
    services.webhooks,
    services.db,
    { preferences, pinned: putPinned({ userId: user.id, pinned: [] }) },
    events,
  );
}

/** Returns the statement that inserts the event about a user's own change. Appends the event's key to `events`. */
export function accountChangeEntry(
  services: IdentityServices,
  events: EventKey[],
  caller: Caller,
  changedFields: string[],
): Bound {
  return userChangeEntry(services, events, {
    caller,
    companyId: caller.companyId,
    type: "identity.user.updated",
    userId: caller.user.id,
    source: "self",
    data: { changed_fields: changedFields },
  });
}

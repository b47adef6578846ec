import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { PreferencesChange } from "../../../../schemas/identity/people/preferences";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { userChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { preferencesOf } from "../profiles/company-user";
import { deletePreferences, putPreferences } from "./preferences.store";

/** What of the preferences would be another and stands in events about a user; the looks of an application are nobody else's news. */
export function changedPreferenceFields(user: CompanyUserRow, change: PreferencesChange): string[] {
  const stored = preferencesOf(user);
  return (["language", "region"] as const).filter((key) => change[key] !== undefined && change[key] !== stored[key]);
}

/** The statement that stores preferences; null when nothing is named, because a stored row counts as a chosen language. */
export function storePreferences(
  { clock }: Pick<IdentityServices, "clock">,
  user: CompanyUserRow,
  { themeName, language, region, colorScheme }: PreferencesChange,
): Bound | null {
  const named = { theme: themeName ?? null, language: language ?? null, region: region ?? null };
  if (colorScheme === undefined && Object.values(named).every((value) => value === null)) return null;
  return putPreferences({ userId: user.id, ...named, colorScheme: colorScheme ?? null, now: clock.now() });
}

/** Forgets the stored preferences, so that the defaults hold again. */
export async function resetPreferences(services: IdentityServices, caller: Caller): Promise<void> {
  const { user } = caller;
  const defaults = { language: "en", region: "UTC" } as const;
  const fields = changedPreferenceFields(user, defaults);
  const forget = deletePreferences({ userId: user.id });
  const events: EventKey[] = [];
  const preferences =
    fields.length > 0 ? followedBy(forget, accountChangeEntry(services, events, caller, fields)) : forget;
  await batchWithEvents(services.webhooks, services.db, { preferences }, events);
}

/** The event of what a person changed of themselves; its key joins `events`. */
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

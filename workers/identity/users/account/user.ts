import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { PreferencesChange } from "../../../../schemas/identity/people/preferences";
import { followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { tokenInvalid } from "../../caller/credentials/credential";
import type { IdentityServices } from "../../services";
import { selectUser } from "../profiles/company-user";
import { changedProfileFields, type ProfileChange, requireMetadataFits, storeProfile } from "../profiles/profile";
import { accountChangeEntry, changedPreferenceFields, storePreferences } from "./preferences";
import { putPinned } from "./preferences.store";

/** Splits a name with single spaces into the first word and the rest. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = "", ...rest] = name.split(" ");
  return { firstName, lastName: rest.join(" ") };
}

/**
 * Changes the caller's names, metadata and preferences in one batch with the event, and returns the changed user. Inserts no
 * event when no reported value differs. The statement checks the size of the metadata again, because another request may have
 * added keys meanwhile.
 */
export async function changeAccount(
  services: IdentityServices,
  caller: Caller,
  change: ProfileChange & { preferences?: PreferencesChange },
): Promise<CompanyUserRow> {
  const { user, companyId } = caller;
  const { preferences: newPreferences = {}, ...profileChange } = change;
  requireMetadataFits(user, profileChange.data);
  const profileFields = changedProfileFields(user, profileChange);
  const fields = [...profileFields, ...changedPreferenceFields(user, newPreferences)];
  const events: EventKey[] = [];
  const entry = () => accountChangeEntry(services, events, caller, fields);
  const stored = storePreferences(services, user, newPreferences);
  const pinned = newPreferences.pinned ? putPinned({ userId: user.id, pinned: newPreferences.pinned }) : null;
  if (stored === null && pinned === null && profileFields.length === 0) return user;
  const key = { companyId, userId: user.id };
  const statements =
    profileFields.length > 0
      ? { preferences: stored, profile: await storeProfile(services, key, profileChange, async () => [entry()]) }
      : { preferences: stored && fields.length > 0 ? followedBy(stored, entry()) : stored };
  const batch = { ...statements, pinned, after: selectUser(companyId, user.id) };
  const { first: after } = (await batchWithEvents(services.webhooks, services.db, batch, events)).after;
  if (!after || after.state === null) throw tokenInvalid();
  requireMetadataFits(after, profileChange.data);
  return after;
}

import type { PersonRow } from "../../../../db/identity/person";
import type { PreferencesChange } from "../../../../schemas/identity/people/preferences";
import { followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { tokenInvalid } from "../../caller/credentials/credential";
import type { IdentityServices } from "../../services";
import { personRead } from "../profiles/person";
import { changedProfileFields, type ProfileChange, requireRoom, storeProfile } from "../profiles/profile";
import { changedPreferenceFields, ownChangeEntry, storePreferences } from "./preferences";

/** First word and rest of a name with single spaces. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = "", ...rest] = name.split(" ");
  return { firstName, lastName: rest.join(" ") };
}

/**
 * Changes what a person may change of themselves, in one batch with its event, and answers the person afterwards. Nothing
 * is written when nothing would be another. Metadata that grew meanwhile is measured again by the statement.
 */
export async function changeOwnAccount(
  services: IdentityServices,
  caller: Caller,
  change: ProfileChange & { preferences?: PreferencesChange },
): Promise<PersonRow> {
  const { person, companyId } = caller;
  const { preferences: wanted = {}, ...profileChange } = change;
  requireRoom(person, profileChange.data);
  const profileFields = changedProfileFields(person, profileChange);
  const fields = [...profileFields, ...changedPreferenceFields(person, wanted)];
  const events: EventKey[] = [];
  const entry = () => ownChangeEntry(services, events, caller, fields);
  const stored = storePreferences(services, person, wanted);
  if (stored === null && profileFields.length === 0) return person;
  const key = { companyId, userId: person.id };
  const statements =
    profileFields.length > 0
      ? { preferences: stored, profile: await storeProfile(services, key, profileChange, async () => [entry()]) }
      : { preferences: stored && fields.length > 0 ? followedBy(stored, entry()) : stored };
  const batch = { ...statements, after: personRead(companyId, person.id) };
  const { first: after } = (await batchWithEvents(services.webhooks, services.db, batch, events)).after;
  if (!after || after.state === null) throw tokenInvalid();
  requireRoom(after, profileChange.data);
  return after;
}

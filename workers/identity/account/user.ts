import type { PreferencesChange } from "../../../schemas/identity/preferences";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { noteUserChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import type { IdentityServices } from "../services";
import { tokenInvalid } from "../sessions/session";
import { findPerson, type PersonRow } from "./person.store";
import { deletePreferences, putPreferences } from "./preferences.store";
import { changedProfileFields, type ProfileChange, profileStatements, requireRoom } from "./profile";
import { preferencesOf } from "./user.present";

/** First word and rest of a name with single spaces (details 8). */
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
  const { db } = services;
  const { person, companyId } = caller;
  const { preferences = {}, ...profile } = change;
  requireRoom(person, profile.data);
  const profileFields = changedProfileFields(person, profile);
  const fields = [...profileFields, ...changedPreferenceFields(person, preferences)];
  const events: string[] = [];
  const note = async () => [noteOwnChange(services, events, caller, fields)];
  const statements = preferenceStatements(services, person, preferences);
  if (profileFields.length > 0) {
    statements.push(...(await profileStatements(services, { companyId, userId: person.id }, profile, note)));
  } else if (fields.length > 0) statements.push(...(await note()));
  if (statements.length === 0) return person;
  const batch = [...statements, findPerson.bind(db, companyId, person.id)];
  const results = await batchWithEvents<PersonRow[]>(services.actions, batch, events);
  const after = results.at(-1)?.results[0];
  if (!after || after.state === null) throw tokenInvalid();
  requireRoom(after, profile.data);
  return after;
}

/** Forgets the stored preferences, so that the defaults hold again (details 8). */
export async function resetPreferences(services: IdentityServices, caller: Caller): Promise<void> {
  const { db } = services;
  const defaults = { language: "en", region: "UTC" } as const;
  const fields = changedPreferenceFields(caller.person, defaults);
  const forget = deletePreferences.bind(db, caller.person.id);
  const events: string[] = [];
  const notes = fields.length > 0 ? [noteOwnChange(services, events, caller, fields)] : [];
  await batchWithEvents(services.actions, [forget, ...notes], events);
}

/** Only language and region stand in the user block of events; the looks of an application are nobody else's news. */
function changedPreferenceFields(person: PersonRow, change: PreferencesChange): string[] {
  const stored = preferencesOf(person);
  return (["language", "region"] as const).filter((key) => change[key] !== undefined && change[key] !== stored[key]);
}

/** No statement when nothing is named: a stored row counts as a chosen language (details 2.3.5). */
function preferenceStatements(
  services: IdentityServices,
  person: PersonRow,
  { themeName, language, region, colorScheme }: PreferencesChange,
): D1PreparedStatement[] {
  const { db, clock } = services;
  const values = [themeName ?? null, language ?? null, region ?? null, colorScheme ?? null] as const;
  if (values.every((value) => value === null)) return [];
  return [putPreferences.bind(db, person.id, ...values, clock.now())];
}

function noteOwnChange(
  services: IdentityServices,
  events: string[],
  caller: Caller,
  fields: string[],
): D1PreparedStatement {
  return noteUserChange(services, events, {
    caller,
    companyId: caller.companyId,
    type: "identity.user.updated",
    userId: caller.person.id,
    source: "self",
    data: { changed_fields: fields },
  });
}

import type { PersonRow } from "../../../../db/identity/person";
import type { Bound } from "../../../kit/db/statement";
import { findPerson, findPersonByEmail } from "./person.store";

/** The read of a person as a company sees them, for a batch. */
export function personRead(companyId: number, userId: number): Bound<PersonRow> {
  return findPerson({ companyId, userId });
}

/** The read of the person with that address as a company sees them, for a batch. */
export function personByEmailRead(companyId: number, email: string): Bound<PersonRow> {
  return findPersonByEmail({ companyId, email });
}

/** How a mail greets somebody: by the first name, else by all that is known; "" when nothing is. */
export function greetedName(person: Pick<PersonRow, "first_name" | "last_name" | "profile">): string {
  const { first_name = person.first_name, last_name = person.last_name } = person.profile ?? {};
  return first_name || last_name;
}

/** Names and own metadata as the company of the row sees them: the membership's profile wins. */
export function profileOf(person: PersonRow): {
  first_name: string;
  last_name: string;
  name: string;
  metadata: Record<string, unknown>;
} {
  const {
    first_name = person.first_name,
    last_name = person.last_name,
    metadata = person.metadata,
  } = person.profile ?? {};
  const name = [first_name, last_name].filter((part) => part !== "").join(" ");
  return { first_name, last_name, name, metadata };
}

/** Stored preferences or their defaults. */
export function preferencesOf(person: PersonRow) {
  return {
    themeName: person.theme_name ?? "default",
    language: person.language ?? "en",
    region: person.region ?? "UTC",
    colorScheme: person.color_scheme ?? "system",
  };
}

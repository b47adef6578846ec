import type { PersonRow } from "../../../../db/identity/person";
import { iso } from "../../../kit/time";
import { preferencesOf, profileOf } from "../profiles/person";

/** The answer of `GET /api/v1/user`: the person as the token's company sees them. */
export function presentUser({
  person,
  provider,
  companyId,
}: {
  person: PersonRow;
  provider: string;
  companyId: number;
}) {
  const profile = profileOf(person);
  return {
    id: String(person.id),
    email: person.email,
    app_metadata: { provider, company_id: companyId },
    user_metadata: {
      ...profile.metadata,
      name: profile.name,
      full_name: profile.name,
      avatar_url: person.avatar_url ?? "",
      is_staff: person.is_staff,
      is_company_owner: person.state === "allowed" && person.is_owner === true,
      platformPreferences: preferencesOf(person),
      groups: [],
      last_seen_at: iso(person.last_seen_at),
    },
  };
}

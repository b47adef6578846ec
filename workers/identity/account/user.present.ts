import type { PersonRow } from "./person.store";

/** Names and own metadata as the company of the row sees them (details 1.2): the membership's profile wins. */
export function profileOf(person: PersonRow): {
  first_name: string;
  last_name: string;
  name: string;
  metadata: Record<string, unknown>;
} {
  const own = person.profile ? readObject(person.profile) : {};
  const first_name = typeof own.first_name === "string" ? own.first_name : person.first_name;
  const last_name = typeof own.last_name === "string" ? own.last_name : person.last_name;
  const kept =
    typeof own.metadata === "object" && own.metadata !== null ? (own.metadata as Record<string, unknown>) : null;
  return {
    first_name,
    last_name,
    name: [first_name, last_name].filter((part) => part !== "").join(" "),
    metadata: kept ?? readObject(person.metadata),
  };
}

/** Stored preferences or their defaults (details 8). */
export function preferencesOf(person: PersonRow) {
  return {
    themeName: person.theme_name ?? "default",
    language: person.language ?? "en",
    region: person.region ?? "UTC",
    colorScheme: person.color_scheme ?? "system",
  };
}

/** The answer of `GET /api/v1/user` (details 8). */
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
      is_staff: person.is_staff === 1,
      is_company_owner: person.state === "allowed" && person.is_owner === 1,
      platformPreferences: preferencesOf(person),
      groups: [],
      last_seen_at: person.last_seen_at === null ? null : new Date(person.last_seen_at).toISOString(),
    },
  };
}

function readObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

import {
  accountsOf,
  type Format,
  isTrue,
  languageOf,
  namesOf,
  objectOf,
  objectsOf,
  refuseBlocked,
  type Source,
  textOf,
  timeOf,
} from "./format.ts";

/** Microsoft accounts (`windowslive`, `waad`) are left out: their ids in Auth0 are not those of the platform's application. */
const providers = { "google-oauth2": "google", github: "github", apple: "apple", auth0: null, email: null } as const;

/**
 * The export of Auth0 (`POST /api/v2/jobs/users-exports`): JSON lines, or CSV with the fields of the job or the titles of the
 * extension. https://auth0.com/docs/manage-users/user-migration/bulk-user-exports
 */
export const auth0: Format = {
  label: "Auth0",
  matches: (keys) =>
    keys.has("Connection") ||
    ((keys.has("user_id") || keys.has("identities")) && (keys.has("email_verified") || keys.has("email"))),
  map: (source) => {
    refuseBlocked(isTrue(source.blocked));
    const profile = objectOf(source.user_metadata, "user_metadata");
    const { accounts, unsupportedProviders } = accountsOf(identitiesOf(source), providers);
    const row = {
      email: textOf(source.email ?? source.Email),
      email_verified: isTrue(source.email_verified ?? source["Email Verified"]),
      ...namesOf(
        source.given_name ?? source["Given Name"] ?? profile.given_name,
        source.family_name ?? source["Family Name"] ?? profile.family_name,
        profile.name ?? source.name ?? source.Name,
      ),
      language: languageOf(source.locale ?? profile.locale ?? profile.language ?? source["user_metadata.locale"]),
      time_zone: textOf(profile.zoneinfo ?? profile.timezone ?? source["user_metadata.zoneinfo"]),
      created_at: timeOf(source.created_at ?? source["Created At"]),
      provider_accounts: accounts,
    };
    return { row, unsupportedProviders };
  },
};

/** Returns the identities. A CSV file has no list; its `user_id` is `google-oauth2|1084`. */
function identitiesOf(source: Source) {
  const listed = objectsOf(source.identities, "identities").map(({ provider, user_id }) => ({
    provider: String(provider),
    subject: user_id,
  }));
  if (listed.length > 0) return listed;
  const [provider = "", ...subject] = (textOf(source.user_id ?? source.Id) ?? "").split("|");
  return subject.length === 0 ? [] : [{ provider, subject: subject.at(-1) }];
}

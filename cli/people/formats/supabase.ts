import {
  accountsOf,
  type Format,
  isTrue,
  languageOf,
  namesOf,
  objectOf,
  objectsOf,
  refuseBlocked,
  textOf,
  timeOf,
} from "./format.ts";

const providers = {
  google: "google",
  github: "github",
  apple: "apple",
  azure: "microsoft",
  email: null,
  phone: null,
} as const;

/**
 * Returns whether a column has a time. Some tools write a missing one as the text NULL. `confirmed_at` does not prove an address,
 * because it is also set when only the phone number is confirmed.
 */
const isTime = (value: unknown): boolean => /^\d{4}-\d\d-\d\d/.test(textOf(value) ?? "");

/**
 * Users of Supabase Auth: rows of `auth.users` as CSV or JSON, with the rows of `auth.identities` in a column `identities`, or
 * the users of the admin API. docs/guides/moving-in.md has the query.
 */
export const supabase: Format = {
  label: "Supabase Auth",
  matches: (keys) =>
    keys.has("raw_user_meta_data") || keys.has("email_confirmed_at") || (keys.has("app_metadata") && keys.has("aud")),
  map: (source) => {
    const bannedUntil = textOf(source.banned_until);
    refuseBlocked(
      textOf(source.deleted_at) !== undefined || (bannedUntil !== undefined && Date.parse(bannedUntil) > Date.now()),
    );
    const profile = objectOf(source.raw_user_meta_data ?? source.user_metadata, "user_metadata");
    const identities = objectsOf(source.identities, "identities").map((identity) => {
      const data = objectOf(identity.identity_data, "identities");
      return {
        provider: String(identity.provider),
        subject: data.sub ?? identity.provider_id ?? identity.id,
        issuer: data.iss,
      };
    });
    const { accounts, unsupportedProviders } = accountsOf(identities, providers);
    const row = {
      email: textOf(source.email),
      email_verified: isTime(source.email_confirmed_at) || isTrue(source.email_verified),
      ...namesOf(
        profile.given_name ?? profile.first_name,
        profile.family_name ?? profile.last_name,
        profile.full_name ?? profile.name,
      ),
      language: languageOf(profile.locale ?? profile.language),
      time_zone: textOf(profile.zoneinfo ?? profile.timezone),
      created_at: timeOf(source.created_at),
      provider_accounts: accounts,
    };
    return { row, unsupportedProviders };
  },
};

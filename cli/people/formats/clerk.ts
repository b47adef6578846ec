import {
  accountsOf,
  type Format,
  isTrue,
  languageOf,
  namesOf,
  objectsOf,
  refuseBlocked,
  type Source,
  textOf,
  timeOf,
} from "./format.ts";

/** Microsoft accounts are left out: their ids in Clerk are not those of the platform's application. */
const providers = {
  oauth_google: "google",
  google: "google",
  oauth_github: "github",
  github: "github",
  oauth_apple: "apple",
  apple: "apple",
} as const;

/**
 * The exports of Clerk: the CSV file of the dashboard, which has no linked accounts, or the JSON list of users of the Backend API
 * and of `clerk migrate export`. https://clerk.com/docs/guides/development/migrating/export-from-clerk
 */
export const clerk: Format = {
  label: "Clerk",
  matches: (keys) => keys.has("primary_email_address") || keys.has("email_addresses"),
  map: (source) => {
    refuseBlocked(isTrue(source.banned) || isTrue(source.locked));
    const { email, isVerified } = addressOf(source);
    const external = objectsOf(source.external_accounts, "external_accounts");
    const linked = external.map(({ provider, provider_user_id }) => ({
      provider: String(provider),
      subject: provider_user_id,
    }));
    const { accounts, unsupportedProviders } = accountsOf(linked, providers);
    const row = {
      email,
      email_verified: isVerified,
      ...namesOf(source.first_name, source.last_name, undefined),
      language: languageOf(source.locale),
      created_at: timeOf(source.created_at),
      provider_accounts: accounts,
    };
    return { row, unsupportedProviders };
  },
};

function addressOf(source: Source): { email: string | undefined; isVerified: boolean } {
  if (Array.isArray(source.email_addresses)) {
    const addresses = objectsOf(source.email_addresses, "email_addresses");
    const primary = addresses.find(({ id }) => id === source.primary_email_address_id) ?? addresses[0];
    const verification = primary?.verification as Source | null | undefined;
    return { email: textOf(primary?.email_address), isVerified: verification?.status === "verified" };
  }
  const verified = listOf(source.verified_email_addresses);
  // Older exports have all addresses in one column.
  const email = textOf(source.primary_email_address) ?? listOf(source.email_addresses)[0] ?? verified[0];
  return { email, isVerified: email !== undefined && verified.includes(email.toLowerCase()) };
}

const listOf = (value: unknown) =>
  (textOf(value) ?? "").split(/[|,;\s]+/).flatMap((address) => textOf(address)?.toLowerCase() ?? []);

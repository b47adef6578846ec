import {
  accountsOf,
  type Format,
  isTrue,
  namesOf,
  objectsOf,
  refuseBlocked,
  type Source,
  textOf,
  timeOf,
} from "./format.ts";

const providers = {
  "google.com": "google",
  "github.com": "github",
  "apple.com": "apple",
  password: null,
  phone: null,
} as const;

const account = (name: string) => [`${name}_id`, `${name}_email`, `${name}_name`, `${name}_photo`];

/**
 * The files of `firebase auth:export`: JSON, or CSV, which has no header line.
 * https://firebase.google.com/docs/cli/auth#file_format
 */
export const firebase: Format = {
  label: "Firebase",
  columns: [
    ...["localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl"],
    ...[account("google"), account("facebook"), account("twitter"), account("github")].flat(),
    ...["createdAt", "lastSignedInAt", "phoneNumber", "disabled", "customAttributes"],
  ],
  matches: (keys) => keys.has("localId"),
  map: (source) => {
    refuseBlocked(isTrue(source.disabled));
    const { accounts, unsupportedProviders } = accountsOf(linkedIn(source), providers);
    const row = {
      email: textOf(source.email),
      email_verified: isTrue(source.emailVerified),
      ...namesOf(undefined, undefined, source.displayName),
      created_at: timeOf(source.createdAt),
      provider_accounts: accounts,
    };
    return { row, unsupportedProviders };
  },
};

function linkedIn(source: Source) {
  if (Array.isArray(source.providerUserInfo)) {
    return objectsOf(source.providerUserInfo, "providerUserInfo").map(({ providerId, rawId }) => ({
      provider: String(providerId),
      subject: rawId,
    }));
  }
  return ["google", "facebook", "twitter", "github"].flatMap((name) => {
    const subject = textOf(source[`${name}_id`]);
    return subject === undefined ? [] : [{ provider: `${name}.com`, subject }];
  });
}

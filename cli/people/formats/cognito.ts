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

const providers = { Google: "google", SignInWithApple: "apple" } as const;

/**
 * Users of Amazon Cognito: the output of `aws cognito-idp list-users`, or CSV with the columns of Cognito's import file.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-using-import-tool.html
 */
export const cognito: Format = {
  label: "Amazon Cognito",
  matches: (keys) => keys.has("Attributes") || keys.has("cognito:username"),
  map: (source) => {
    refuseBlocked(source.Enabled === false);
    const attributes = attributesOf(source);
    const identities = objectsOf(attributes.identities, "identities").map(({ providerType, providerName, userId }) => ({
      provider: String(providerType ?? providerName),
      subject: userId,
    }));
    const { accounts, unsupportedProviders } = accountsOf(identities, providers);
    const row = {
      email: textOf(attributes.email),
      email_verified: isTrue(attributes.email_verified),
      ...namesOf(attributes.given_name, attributes.family_name, attributes.name),
      language: languageOf(attributes.locale),
      time_zone: textOf(attributes.zoneinfo),
      created_at: timeOf(source.UserCreateDate),
      provider_accounts: accounts,
    };
    return { row, unsupportedProviders };
  },
};

/** Returns the attributes by name. A CSV file has a column for each. */
function attributesOf(source: Source): Source {
  if (!Array.isArray(source.Attributes)) return source;
  return Object.fromEntries(objectsOf(source.Attributes, "Attributes").map(({ Name, Value }) => [String(Name), Value]));
}

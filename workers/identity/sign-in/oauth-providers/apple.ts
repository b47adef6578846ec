import { importPKCS8, SignJWT } from "jose";
import { ProviderCallError } from "./calls";
import { identityOf, nameOf } from "./claims";
import type { ProviderDefinition } from "./types";

const ISSUER = "https://appleid.apple.com";

/** Imports the P-256 key of a PKCS#8 PEM with real line breaks or `\n`; rejects anything else. */
function readKey(secret: string): Promise<CryptoKey> {
  return importPKCS8(secret.replaceAll("\\n", "\n"), "ES256");
}

/**
 * https://developer.apple.com/documentation/signinwithapplerestapi. Apple calls the callback with a form post, which the
 * browser treats as cross-site.
 */
export const apple: ProviderDefinition = {
  label: "Apple",
  issuer: ISSUER,
  fields: [
    { name: "client_id", required: true, secret: false },
    { name: "team_id", required: true, secret: false },
    { name: "key_id", required: true, secret: false },
    { name: "private_key", required: true, secret: true },
  ],
  scopes: "name email",
  parameters: { response_mode: "form_post" },
  switchAccount: {},
  isOpenId: true,
  endpoints: async () => ({
    authorize: `${ISSUER}/auth/authorize`,
    token: `${ISSUER}/auth/token`,
    jwks: `${ISSUER}/auth/keys`,
    isIssuer: (value) => value === ISSUER,
    supportsPkce: false,
  }),
  isValidSecret: (secret) =>
    readKey(secret).then(
      () => true,
      () => false,
    ),
  async makeSecret({ clientId, secret, config }, now) {
    if (!config.team_id || !config.key_id) throw new ProviderCallError("the team id or key id of Apple is missing");
    const seconds = Math.floor(now / 1000);
    return new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: config.key_id })
      .setIssuer(config.team_id)
      .setSubject(clientId)
      .setAudience(ISSUER)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 300)
      .sign(await readKey(secret));
  },
  async readIdentity({ claims, user }) {
    const isProven = claims.email_verified === true || claims.email_verified === "true";
    const name = typeof user.name === "object" && user.name !== null ? (user.name as Record<string, unknown>) : {};
    return {
      ...identityOf(claims, ISSUER, isProven),
      // Apple sends the user's name only once, with the first code, and never in the ID token.
      firstName: nameOf(name.firstName),
      lastName: nameOf(name.lastName),
    };
  },
};

import { generateKeyPairSync } from "node:crypto";
import type { Service } from "../../schemas/management.ts";

// Keys of a test run live as long as the run: nothing secret is in the repository. Each project reads the configuration
// anew, and with it this file; an RSA key takes long to find, so all of them have the one of the first.
const shared = globalThis as { signingKeyOfTests?: string };
shared.signingKeyOfTests ??= generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;

const operatorKey = (letter: string) => `opk_${letter.repeat(40)}`;
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");

/** What a service beside identity needs in its tests. */
const siblingVars = {
  DEBUG: "true",
  IDENTITY_ISSUER: "http://localhost:8787/identity",
  ACTIONS_ENCRYPTION_KEY: key(4),
};

/** Limits high enough that only limit tests meet them. */
const identityVars = {
  DEBUG: "true",
  JWT_ISSUER: "http://localhost:8787/identity",
  JWT_PRIVATE_KEY: shared.signingKeyOfTests,
  SECRET_KEY: "identity-test-secret-key-of-32-bytes-or-more",
  EMAIL_SERVICE_API_KEY: "esk_test",
  ACTIONS_ENCRYPTION_KEY: key(4),
  MAGIC_LINK_ENABLED: "true",
  OAUTH_TOKEN_DELIVERY: "code",
  AUTH_RATE_LIMIT_MAGIC_LINK: "10/min",
};

const emailVars = {
  ...siblingVars,
  PUBLIC_BASE_URL: "http://localhost:8787/email",
  EMAIL_AUTH_LINK_HOSTS: "localhost,127.0.0.1,auth.example.com",
  EMAIL_VARIABLES_KEY: key(1),
  EMAIL_CREDENTIALS_KEY: key(2),
  EMAIL_HASH_PEPPER: key(3),
  DEFAULT_FROM_EMAIL: "no-reply@platform.example.com",
  BULK_FROM_EMAIL: "news@platform.example.com",
  PROVIDER_API_KEY: "re_platform_key",
  PROVIDER_API_URL: "http://127.0.0.1:9",
  // No name is known, and that at once: what DNS says is played by the tests that want to know.
  EMAIL_DNS_RESOLVER_URL: "https://127.0.0.1:9/dns-query",
};

const ownVars: Readonly<Partial<Record<Service, Readonly<Record<string, string>>>>> = {
  identity: identityVars,
  email: emailVars,
  storage: { ...siblingVars, STORAGE_SIGNING_KEY: key(5), OPERATOR_KEY: operatorKey("s") },
};

/** Settings of a service in its tests. */
export const testVarsOf = (service: Service): Record<string, string> => ({
  ...(ownVars[service] ?? { ...siblingVars, OPERATOR_KEY: operatorKey(service.slice(0, 1)) }),
});

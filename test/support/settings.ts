import { generateKeyPairSync } from "node:crypto";
import type { Service } from "../../schemas/management.ts";

// Keys are generated for each test run, so the repository contains no secret. Each Vitest project loads this file
// again. RSA keys are slow to generate, so all projects share one signing key.
const shared = globalThis as { signingKeyOfTests?: string };
shared.signingKeyOfTests ??= generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;

const operatorKey = (letter: string) => `opk_${letter.repeat(40)}`;
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");

/** Settings of services other than identity. */
const siblingVars = {
  DEBUG: "true",
  IDENTITY_ISSUER: "http://localhost:8787/identity",
  ACTIONS_ENCRYPTION_KEY: key(4),
};

/** Settings of identity. */
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
  // Nothing listens at this address, so DNS lookups fail at once. Tests about DNS provide their own resolver.
  EMAIL_DNS_RESOLVER_URL: "https://127.0.0.1:9/dns-query",
};

const varsByService: Readonly<Partial<Record<Service, Readonly<Record<string, string>>>>> = {
  identity: identityVars,
  email: emailVars,
  storage: { ...siblingVars, STORAGE_SIGNING_KEY: key(5), OPERATOR_KEY: operatorKey("s") },
};

/** Returns the settings of a service in its tests. */
export const testVarsOf = (service: Service): Record<string, string> => ({
  ...(varsByService[service] ?? { ...siblingVars, OPERATOR_KEY: operatorKey(service.slice(0, 1)) }),
});

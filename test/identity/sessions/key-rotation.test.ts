import { calculateJwkThumbprint, exportJWK, exportPKCS8, exportSPKI, generateKeyPair, importSPKI } from "jose";
import { expect, it } from "vitest";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  identityEnv,
  json,
  signIn,
} from "../../support/identity/identity";

async function makePair() {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const spki = await exportSPKI(publicKey);
  const kid = await calculateJwkThumbprint(await exportJWK(await importSPKI(spki, "RS256", { extractable: true })));
  return { privatePem: await exportPKCS8(privateKey), publicPem: spki, kid };
}

it("accepts and publishes the previous key while it is set, and signs with the new key", async () => {
  const [old, next] = [await makePair(), await makePair()];
  const mailbox = createMailbox();
  const company = await createCompany();
  const before = identityEnv(mailbox, { JWT_PRIVATE_KEY: old.privatePem });
  const tokens = await signIn(before, mailbox, company, freshEmail());
  const user = (env: typeof before, token: string) =>
    callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${token}` } });

  const rotated = identityEnv(mailbox, {
    JWT_PRIVATE_KEY: next.privatePem,
    // Some secret stores return the key in quotes and on one line.
    JWT_PREVIOUS_PUBLIC_KEY: `"${old.publicPem.trim().replaceAll("\n", "\\n")}"`,
  });
  expect((await user(rotated, tokens.access_token)).status).toBe(200);
  const keys = (await (await callIdentity(rotated, "/.well-known/jwks.json")).json()) as { keys: { kid: string }[] };
  expect(keys.keys.map(({ kid }) => kid)).toEqual([next.kid, old.kid]);

  const refreshed = await callIdentity(
    rotated,
    "/api/v1/token?grant_type=refresh_token",
    json({ refresh_token: tokens.refresh_token }),
  );
  const renewed = (await refreshed.json()) as { access_token: string };
  const header = JSON.parse(atob(renewed.access_token.split(".")[0] ?? "")) as { kid: string; alg: string };
  expect(header).toMatchObject({ kid: next.kid, alg: "RS256" });
  expect((await user(rotated, renewed.access_token)).status).toBe(200);

  const withoutPrevious = identityEnv(mailbox, { JWT_PRIVATE_KEY: next.privatePem });
  expect((await user(withoutPrevious, tokens.access_token)).status).toBe(401);
  expect((await user(withoutPrevious, renewed.access_token)).status).toBe(200);
});

it("returns 503 and degraded health when the previous key cannot be read", async () => {
  const env = identityEnv(createMailbox(), { JWT_PREVIOUS_PUBLIC_KEY: "no key" });
  expect((await callIdentity(env, "/.well-known/jwks.json")).status).toBe(503);
  expect((await callIdentity(env, "/api/v1/health")).status).toBe(503);
});

it("rejects a signing key of less than 2048 bits", async () => {
  const { privateKey } = await crypto.subtle
    .generateKey(
      { name: "RSASSA-PKCS1-v1_5", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
      true,
      ["sign", "verify"],
    )
    .then((pair) => pair as CryptoKeyPair);
  const env = identityEnv(createMailbox(), { JWT_PRIVATE_KEY: await exportPKCS8(privateKey) });
  expect((await callIdentity(env, "/.well-known/jwks.json")).status).toBe(503);
});

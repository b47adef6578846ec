import { createPublicKey } from "node:crypto";
import { expect, it } from "vitest";
import { services } from "../../../scripts/support/services.ts";
import { unknownServiceKeys } from "../../support/cloudflare/public-web.ts";
import { DAY_MS, HOUR_MS, openDeployment } from "../../support/cloudflare/rotations.ts";

const publicKeyOf = (pem = "") =>
  createPublicKey(pem.replaceAll("\\n", "\n")).export({ type: "spki", format: "pem" }).toString().trim();

it("replaces the signing key and keeps the public key of the previous one until it is finished", async (context) => {
  const { rotate, read, stored, said, pass } = await openDeployment(context);
  const former = read().identity?.JWT_PRIVATE_KEY;
  await rotate("jwt");
  const { identity } = stored();
  expect(identity?.JWT_PRIVATE_KEY).not.toBe(former);
  expect(identity?.JWT_PREVIOUS_PUBLIC_KEY?.replaceAll("\\n", "\n")).toBe(publicKeyOf(former));
  expect(read().identity).toMatchObject({ ...identity });
  expect(said.at(-1)).toContain("--finish");
  await expect(rotate("jwt")).rejects.toThrow(/^rotation-unfinished: identity/);
  expect(stored().identity).toEqual(identity);
  pass(2 * HOUR_MS);
  await rotate("jwt", { isFinished: true });
  expect(stored().identity).toEqual({ ...identity, JWT_PREVIOUS_PUBLIC_KEY: undefined });
  await rotate("jwt", { isLeaked: true });
  expect(stored().identity).not.toHaveProperty("JWT_PREVIOUS_PUBLIC_KEY");
});

it("replaces all keys that seal values, keeps the previous ones, and removes them when email has sealed again", async (context) => {
  const { rotate, read, stored, bench, pass } = await openDeployment(context);
  const [before, account] = [read(), stored()];
  await rotate("seal");
  const after = stored();
  for (const service of services) {
    const old = before[service]?.ACTIONS_ENCRYPTION_KEY;
    expect(after[service]?.ACTIONS_ENCRYPTION_KEY).not.toBe(old);
    expect(after[service]?.ACTIONS_ENCRYPTION_PREVIOUS_KEYS).toBe(old);
    expect(read()[service]).toEqual({ ...before[service], ...after[service] });
  }
  expect(after.identity?.SECRET_KEY_PREVIOUS).toBe(account.identity?.SECRET_KEY);
  expect(after.email?.EMAIL_VARIABLES_PREVIOUS_KEYS).toBe(account.email?.EMAIL_VARIABLES_KEY);
  await expect(rotate("seal")).rejects.toThrow(/^rotation-unfinished: identity/);
  pass(8 * DAY_MS);
  bench.cloudflare.state.reencryptions = [{ rows: 3, remaining: 2, complete: true }];
  await expect(rotate("seal", { isFinished: true })).rejects.toThrow(/^values-left: email has 2 values/);
  bench.cloudflare.state.reencryptions = [
    { rows: 3, remaining: 2, complete: false },
    { rows: 2, remaining: 0, complete: true },
  ];
  await rotate("seal", { isFinished: true });
  const finished = stored();
  for (const name of [
    "EMAIL_VARIABLES_PREVIOUS_KEYS",
    "EMAIL_CREDENTIALS_PREVIOUS_KEYS",
    "ACTIONS_ENCRYPTION_PREVIOUS_KEYS",
  ])
    expect(finished.email).not.toHaveProperty(name);
  expect(finished.hosting).toEqual(after.hosting);
  expect(finished.identity).not.toHaveProperty("SECRET_KEY_PREVIOUS");
});

it("replaces the keys of services in the database first, and accepts the previous ones for a day", async (context) => {
  const { rotate, read, stored, database, bench } = await openDeployment(context);
  const before = read();
  await rotate("service-key");
  expect(unknownServiceKeys(bench.cloudflare.state)).toEqual([]);
  for (const service of ["identity", "hosting", "storage"] as const)
    expect(stored()[service]?.EMAIL_SERVICE_API_KEY).not.toBe(before[service]?.EMAIL_SERVICE_API_KEY);
  const rows = database("email")
    .prepare("SELECT previous_key_hash AS hash, previous_expires_at AS expiry FROM service_clients")
    .all();
  expect(rows).toHaveLength(3);
  for (const { hash, expiry } of rows as { hash: string; expiry: number }[]) {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(expiry).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  }
  await rotate("service-key", { isLeaked: true });
  expect(
    database("email").prepare("SELECT count(*) AS n FROM service_clients WHERE previous_key_hash IS NOT NULL").get(),
  ).toMatchObject({ n: 0 });
  expect(unknownServiceKeys(bench.cloudflare.state)).toEqual([]);
});

it("replaces the operator keys, and the credentials of the mail provider from the environment", async (context) => {
  const { rotate, read, stored } = await openDeployment(context);
  const former = read();
  await rotate("operator");
  for (const service of services) {
    expect(stored()[service]?.OPERATOR_KEY).toMatch(/^opk_.{40,}$/);
    expect(stored()[service]?.OPERATOR_KEY).not.toBe(former[service]?.OPERATOR_KEY);
  }
  await expect(rotate("provider")).rejects.toThrow(/^value-missing: /);
  await expect(rotate("operator", { isFinished: true })).rejects.toThrow(/^nothing-to-finish: /);
  await rotate("provider", { env: { EMAIL_HOST_PASSWORD: "second" } });
  expect(stored().email?.EMAIL_HOST_PASSWORD).toBe("second");
  expect(read().email?.EMAIL_HOST_PASSWORD).toBe("second");
});

it("refuses --leaked where nothing can be left out", async (context) => {
  const { rotate, stored } = await openDeployment(context);
  const account = stored();
  await expect(rotate("pepper", { isLeaked: true })).rejects.toThrow(/^pepper-needed: /);
  await expect(rotate("operator", { isLeaked: true })).rejects.toThrow(/^nothing-kept: /);
  const env = { EMAIL_HOST_PASSWORD: "second" };
  await expect(rotate("provider", { isLeaked: true, env })).rejects.toThrow(/^nothing-kept: /);
  expect(stored()).toEqual(account);
});

import { createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createClient } from "../../scripts/deploy/cloudflare/client.ts";
import type { Rotation } from "../../scripts/deploy/rotation/plan.ts";
import { rotate } from "../../scripts/deploy/rotation/rotate.ts";
import type { SecretsCopy } from "../../scripts/deploy/rotation/secrets-copy.ts";
import { services } from "../../scripts/support/services.ts";
import { answers, openBench } from "../support/cloudflare/deployments.ts";
import { databaseOf, unknownServiceKeys } from "../support/cloudflare/public-web.ts";

type Cleanup = Parameters<typeof openBench>[0];
type Flags = { isFinished?: boolean; isLeaked?: boolean; env?: NodeJS.ProcessEnv };

/** Creates a deployment, and returns functions that rotate its secrets and read them from the copy and the account. */
async function openDeployment(context: Cleanup) {
  const bench = await openBench(context);
  const copy = bench.secretsFile();
  await bench.run(["--yes", ...answers, "--secrets-file", copy]);
  const { state } = bench.cloudflare;
  const said: string[] = [];
  return {
    bench,
    copy,
    said,
    read: () => JSON.parse(readFileSync(copy, "utf8")) as SecretsCopy,
    stored: () =>
      Object.fromEntries(
        services.map((name) => [name, Object.fromEntries(state.scripts.get(`platform-${name}`)?.secrets ?? [])]),
      ),
    email: () => {
      const script = state.scripts.get("platform-email");
      const db = script === undefined ? undefined : databaseOf(state, script);
      if (db === undefined) throw new Error("there is no database of email");
      return db;
    },
    rotate: (what: Rotation, { isFinished = false, isLeaked = false, env = {} }: Flags = {}) => {
      said.length = 0;
      return rotate(
        { what, name: "platform", copy, isFinished, isLeaked },
        {
          api: createClient({ baseUrl: bench.cloudflare.url, token: bench.cloudflare.token, wait: async () => {} }),
          records: bench.records,
          env,
          say: (line) => said.push(line),
          now: Date.now,
          publicUrl: bench.cloudflare.publicUrl,
        },
      );
    },
  };
}

const publicKeyOf = (pem = "") =>
  createPublicKey(pem.replaceAll("\\n", "\n")).export({ type: "spki", format: "pem" }).toString().trim();

it("replaces the signing key and keeps the public key of the previous one until it is finished", async (context) => {
  const { rotate, read, stored, said } = await openDeployment(context);
  const former = read().identity?.JWT_PRIVATE_KEY;
  await rotate("jwt");
  const { identity } = stored();
  expect(identity?.JWT_PRIVATE_KEY).not.toBe(former);
  expect(identity?.JWT_PREVIOUS_PUBLIC_KEY?.replaceAll("\\n", "\n")).toBe(publicKeyOf(former));
  expect(read().identity).toMatchObject({ ...identity });
  expect(said.at(-1)).toContain("--finish");
  await expect(rotate("jwt")).rejects.toThrow(/^rotation-unfinished: identity/);
  expect(stored().identity).toEqual(identity);
  await rotate("jwt", { isFinished: true });
  expect(stored().identity).toEqual({ ...identity, JWT_PREVIOUS_PUBLIC_KEY: undefined });
  await rotate("jwt", { isLeaked: true });
  expect(stored().identity).not.toHaveProperty("JWT_PREVIOUS_PUBLIC_KEY");
});

it("replaces all keys that seal values, keeps the previous ones, and removes them when email has sealed again", async (context) => {
  const { rotate, read, stored, bench } = await openDeployment(context);
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

it("keeps the previous pepper while a suppression may need it", async (context) => {
  const { rotate, stored, email } = await openDeployment(context);
  const former = stored().email?.EMAIL_HASH_PEPPER;
  await rotate("pepper");
  expect(stored().email?.EMAIL_HASH_PEPPER_PREVIOUS).toBe(former);
  await expect(rotate("pepper")).rejects.toThrow(/^rotation-unfinished: email/);
  email().exec(
    "INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at) VALUES (1, 'x', 'news', 'owner', 0)",
  );
  await expect(rotate("pepper", { isFinished: true })).rejects.toThrow(/^pepper-needed: 1 /);
  email().exec("DELETE FROM unsubscribes");
  await rotate("pepper", { isFinished: true });
  expect(stored().email).not.toHaveProperty("EMAIL_HASH_PEPPER_PREVIOUS");
});

it("replaces the keys of services in the database first, and accepts the previous ones for a day", async (context) => {
  const { rotate, read, stored, email, bench } = await openDeployment(context);
  const before = read();
  await rotate("service-key");
  expect(unknownServiceKeys(bench.cloudflare.state)).toEqual([]);
  for (const service of ["identity", "hosting", "storage"] as const)
    expect(stored()[service]?.EMAIL_SERVICE_API_KEY).not.toBe(before[service]?.EMAIL_SERVICE_API_KEY);
  const rows = email()
    .prepare("SELECT previous_key_hash AS hash, previous_expires_at AS expiry FROM service_clients")
    .all();
  expect(rows).toHaveLength(3);
  for (const { hash, expiry } of rows as { hash: string; expiry: number }[]) {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(expiry).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  }
  await rotate("service-key", { isLeaked: true });
  expect(
    email().prepare("SELECT count(*) AS n FROM service_clients WHERE previous_key_hash IS NOT NULL").get(),
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

it("continues a rotation that was cut at any call with the same values", async (context) => {
  const { rotate, read, stored, bench } = await openDeployment(context);
  for (const what of ["seal", "service-key"] as const) {
    // One call for each service, and for a service key one change of the database.
    const calls = what === "seal" ? 4 : 6;
    for (let at = 1; at <= calls; at += 1) {
      bench.cloudflare.heal();
      bench.cloudflare.cut({ at, when: at % 2 === 0 ? "after" : "before" });
      await expect(rotate(what), `${what} ${at}`).rejects.toThrow();
      bench.cloudflare.heal();
      const { open_rotation: open } = read();
      expect(open?.what).toBe(what);
      await expect(rotate("operator")).rejects.toThrow(/^rotation-open: /);
      await rotate(what);
      for (const [worker, values] of Object.entries(open?.changes ?? {})) {
        for (const [name, value] of Object.entries(values)) expect(stored()[worker]?.[name]).toBe(value);
      }
      expect(read()).not.toHaveProperty("open_rotation");
      expect(unknownServiceKeys(bench.cloudflare.state)).toEqual([]);
      if (what === "seal") await rotate("seal", { isFinished: true });
    }
  }
});

it("keeps an interrupted rotation in the copy during a deployment", async (context) => {
  const { rotate, copy, read, bench } = await openDeployment(context);
  bench.cloudflare.heal();
  bench.cloudflare.cut({ at: 2, when: "after" });
  await expect(rotate("seal")).rejects.toThrow();
  bench.cloudflare.heal();
  const before = read();
  bench.setCode("release 2");
  await bench.run(["--yes", "--secrets-file", copy]);
  expect(read()).toEqual(before);
});

it("needs a deployment and the copy of its secrets", async (context) => {
  const { rotate, copy } = await openDeployment(context);
  writeFileSync(copy, "{}");
  await expect(rotate("jwt")).rejects.toThrow(/^copy-incomplete: .* no JWT_PRIVATE_KEY of identity/);
  writeFileSync(copy, "");
  await expect(rotate("jwt")).rejects.toThrow(/^A rotation needs the copy of the secrets/);
});

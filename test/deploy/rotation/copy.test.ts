import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Rotation } from "../../../scripts/deploy/rotation/plan.ts";
import { answers } from "../../support/cloudflare/deployments.ts";
import { DAY_MS, openDeployment } from "../../support/cloudflare/rotations.ts";

it.each<[Rotation, string]>([
  ["jwt", "JWT_PRIVATE_KEY of identity"],
  ["seal", "EMAIL_VARIABLES_KEY of email"],
  ["pepper", "EMAIL_HASH_PEPPER of email"],
])("refuses to rotate %s with an older copy, because the key in use would be lost", async (what, name) => {
  const ends: (() => void | Promise<void>)[] = [];
  const { rotate, copy, stored, pass } = await openDeployment({ onTestFinished: (end) => ends.push(end) });
  const old = readFileSync(copy, "utf8");
  await rotate(what);
  pass(8 * DAY_MS);
  const newest = readFileSync(copy, "utf8");
  await rotate(what, { isFinished: true });
  const account = stored();
  writeFileSync(copy, old);
  await expect(rotate(what)).rejects.toThrow(new RegExp(`^copy-differs: .*${name}`));
  await expect(rotate(what, { isFinished: true })).rejects.toThrow(/^copy-differs: /);
  expect(readFileSync(copy, "utf8")).toBe(old);
  // The key is the one in use, but the account has removed a previous one that the copy has.
  writeFileSync(copy, newest);
  await expect(rotate(what, { isFinished: true })).rejects.toThrow(/^copy-differs: .*PREVIOUS/);
  expect(stored()).toEqual(account);
  for (const end of ends) await end();
});

it("refuses a copy whose list of previous keys is older than that of the account", async (context) => {
  const { rotate, copy, read, stored } = await openDeployment(context);
  await rotate("seal", { isLeaked: true });
  const { email, ...others } = read();
  const { EMAIL_VARIABLES_PREVIOUS_KEYS: _, ...rest } = email ?? {};
  writeFileSync(copy, JSON.stringify({ ...others, email: rest }));
  const account = stored();
  await expect(rotate("seal", { isLeaked: true })).rejects.toThrow(
    /^copy-differs: .*: EMAIL_VARIABLES_PREVIOUS_KEYS of email\./,
  );
  expect(stored()).toEqual(account);
});

it("compares the copy with the services, whose operator key it must have", async (context) => {
  const { rotate, copy, read, stored, bench } = await openDeployment(context);
  const before = read();
  await rotate("operator");
  const account = stored();
  writeFileSync(copy, JSON.stringify(before));
  await expect(rotate("jwt")).rejects.toThrow(/^copy-differs: identity has another OPERATOR_KEY/);
  // Another rotation of the operator keys needs no former ones.
  await rotate("operator");
  expect(stored().identity?.OPERATOR_KEY).not.toBe(account.identity?.OPERATOR_KEY);
  bench.cloudflare.state.domains = bench.cloudflare.state.domains.filter(
    ({ hostname }) => hostname !== "email.example.com",
  );
  await expect(rotate("pepper")).rejects.toThrow(/^email-failed: /);
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

it("keeps no copy that lacks previous keys, of another deployment, or of a plan that is not confirmed", async (context) => {
  const { rotate, copy, read, bench } = await openDeployment(context);
  const decline = {
    prompts: {
      text: async (_: string, initial: string) => initial,
      select: async (_: string, choices: { value: string }[]) => choices[0]?.value ?? "",
      confirm: async () => false,
    },
  };
  const unused = `${copy}.unused`;
  expect(await bench.run(["--name", "staging", ...answers, "--secrets-file", unused], decline)).toBe(false);
  expect(existsSync(unused)).toBe(false);
  await expect(bench.run(["--name", "staging", "--yes", ...answers, "--secrets-file", copy])).rejects.toThrow(
    /has the secrets of the deployment platform in account .* first remove `deployment` from the file/,
  );
  await expect(bench.run(["--yes", "--secrets-file", unused])).rejects.toThrow(/identity: .*SECRET_KEY/);
  expect(existsSync(unused)).toBe(false);
  await rotate("seal");
  const { email, ...others } = read();
  const { EMAIL_VARIABLES_PREVIOUS_KEYS: _, ...rest } = email ?? {};
  writeFileSync(copy, JSON.stringify({ ...others, email: rest }));
  await expect(bench.run(["--yes", "--secrets-file", copy])).rejects.toThrow(/email: EMAIL_VARIABLES_PREVIOUS_KEYS/);
});

it("needs a deployment and the copy of its secrets", async (context) => {
  const { rotate, copy } = await openDeployment(context);
  writeFileSync(copy, "{}");
  await expect(rotate("jwt")).rejects.toThrow(/^copy-incomplete: .* no JWT_PRIVATE_KEY of identity/);
  writeFileSync(copy, "");
  await expect(rotate("jwt")).rejects.toThrow(/^A rotation needs the copy of the secrets/);
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answers, openBench } from "../support/cloudflare/deployments.ts";

it("names the option that is missing and changes nothing", async (context) => {
  const bench = await openBench(context);
  await expect(bench.run(["--yes", "--company", "Aster Labs"])).rejects.toThrow("--owner is required.");
  await expect(bench.run(["--yes", "--owner", "owner"])).rejects.toThrow(
    '--owner takes an email address, not "owner".',
  );
  await expect(bench.run(["--yes", ...answers, "--domain", "other.example"])).rejects.toThrow(
    "--domain other.example is none of those that the token can use: example.com",
  );
  const calls = bench.cloudflare.calls.length;
  await expect(bench.run(["--yes", ...answers, "--set", "email.EMAIL_HOSTT=a"])).rejects.toThrow(
    "email.EMAIL_HOSTT: the code knows no setting of this name.",
  );
  await expect(bench.run(["--yes", ...answers, "--set", "email.EMAIL_HASH_PEPPER=a"])).rejects.toThrow("is a secret");
  expect(bench.cloudflare.calls.length).toBe(calls);
  await expect(bench.run(["--yes", ...answers, "--apps-domain", "example.com"])).rejects.toThrow("overlaps");
  const withoutHost = answers.slice(0, answers.indexOf("--set"));
  await expect(bench.run(["--yes", ...withoutHost])).rejects.toThrow("--set email.EMAIL_HOST= is required.");
  await expect(
    bench.run(["--yes", ...answers, "--mail", "api", "--set", "email.PROVIDER_API_URL=https://api.mail.example"]),
  ).rejects.toThrow("--mail api requires the environment variable PROVIDER_API_KEY.");
  await expect(bench.run(answers)).rejects.toThrow("Add --yes to carry out this plan.");
  expect(bench.cloudflare.changes).toEqual([]);
  expect(existsSync(join(bench.records, "platform.json"))).toBe(false);
});

it("waits as long as a rate limit asks, and retries server errors in the middle of a step", async (context) => {
  const bench = await openBench(context);
  bench.cloudflare.faults.push(
    { pattern: /POST .*\/queues$/, times: 1, status: 429, retryAfter: 7, code: 971, message: "Please wait" },
    { pattern: /PUT .*\/workers\/scripts\/platform-hosting$/, times: 3, status: 502 },
    { pattern: /POST .*\/r2\/buckets$/, times: 1, status: 500 },
  );
  await bench.run();
  expect(bench.waits).toContain(7000);
  expect(bench.lines).toContain("  https://hosting.example.com: ok");
});

it("gives up on a server error that lasts, and continues later", async (context) => {
  const bench = await openBench(context);
  bench.cloudflare.faults.push({ pattern: /PUT .*\/scripts\/platform-storage$/, times: 5, status: 503 });
  await expect(bench.run()).rejects.toThrow(
    /Workers of this release: identity, hosting\. Stopped at storage\. Unchanged: email, edge\.\n\nNot done: Workers; .*--rollback$/s,
  );
  await bench.run(["--yes"]);
  expect(bench.lines).toContain("  platform-identity: unchanged");
  expect(bench.lines).toContain("  https://storage.example.com: ok");
});

it.each([
  [/\/d1\//, "Account, D1, Edit"],
  [/\/queues/, "Account, Queues, Edit"],
  [/\/workers\/scripts/, "Account, Workers Scripts, Edit"],
])("names the permission that %s needs", async (pattern, permission) => {
  const ends: (() => void | Promise<void>)[] = [];
  const bench = await openBench({ onTestFinished: (end) => ends.push(end) });
  bench.cloudflare.faults.push({ pattern, times: 1, status: 403, code: 10000, message: "Authentication error" });
  await expect(bench.run()).rejects.toThrow(`Give the API token the permission "${permission}"`);
  expect(bench.cloudflare.changes).toEqual([]);
  for (const end of ends) await end();
});

it("stops at a quota with Cloudflare's words", async (context) => {
  const bench = await openBench(context);
  const message = "You have reached the maximum number of databases for your account.";
  bench.cloudflare.faults.push({ pattern: /POST .*\/d1\/database$/, times: 9, status: 400, code: 7406, message });
  await expect(bench.run()).rejects.toThrow(`${message} (7406)`);
});

it("does not take a host from another Worker", async (context) => {
  const bench = await openBench(context);
  const { state } = bench.cloudflare;
  const [cert_id, environment, zone_id, zone_name] = ["c", "production", state.zone.id, state.zone.name];
  const hostname = "email.example.com";
  state.domains.push({ id: "d", cert_id, environment, zone_id, zone_name, hostname, service: "newsletter" });
  await expect(bench.run()).rejects.toThrow("email.example.com is a custom domain of the Worker newsletter.");
});

it("does not generate secrets again that were stored before", async (context) => {
  const bench = await openBench(context);
  const copy = join(bench.records, "../secrets.json");
  await bench.run(["--yes", ...answers, "--secrets-file", copy]);
  const { scripts } = bench.cloudflare.state;
  const pepper = scripts.get("platform-email")?.secrets.get("EMAIL_HASH_PEPPER");
  scripts.delete("platform-email");
  await expect(bench.run(["--yes"])).rejects.toThrow(
    /email: the account no longer has the secrets .*EMAIL_HASH_PEPPER/,
  );
  await bench.run(["--yes", "--secrets-file", copy]);
  expect(scripts.get("platform-email")?.secrets.get("EMAIL_HASH_PEPPER")).toBe(pepper);
});

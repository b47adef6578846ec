import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answers, openBench } from "../support/cloudflare/deployments.ts";
import { inventory } from "../support/cloudflare/inventory.ts";

it("creates everything, sends a test mail and prints a sign-in link", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  expect(bench.lines).toContainEqual(expect.stringMatching(/^ {2}create {2}databases \(4\): platform-identity, /));
  expect(bench.lines).toContainEqual(expect.stringMatching(/^ {2}create {2}queues .*\bemail-auth-dead\b/));
  expect(bench.lines).toContain("  https://storage.example.com: ok");
  expect(bench.lines).toContain("  a sign-in mail for the owner is on its way");
  expect(bench.lines).toContain("  https://identity.example.com/sign-in/one-time");
  const account = inventory(bench.cloudflare.state);
  expect(account.databases).toEqual(["platform-identity", "platform-email", "platform-hosting", "platform-storage"]);
  expect(account.domains).toEqual([
    "email.example.com platform-email",
    "hosting.example.com platform-hosting",
    "identity.example.com platform-identity",
    "storage.example.com platform-storage",
  ]);
  expect(account.people).toMatchObject([
    { email: "owner@example.com", is_staff: 0 },
    { email: "staff@example.com", is_staff: 1 },
  ]);
  expect(account.servicesWithoutKey).toEqual([]);
  const email = account.scripts.find(({ name }) => name === "platform-email");
  expect(email).toMatchObject({ migrationTag: "v2", crons: ["* * * * *", "*/5 * * * *", "17 * * * *"] });
  expect(email?.bindings).toContainEqual({ type: "plain_text", name: "EMAIL_HOST", text: "smtp.example.com" });
  expect(email?.secrets).toContain("EMAIL_HASH_PEPPER");
  const auth = account.queues.find(([name]) => name === "email-auth");
  expect(auth?.[1]).toEqual([
    {
      script_name: "platform-email",
      dead_letter_queue: "email-auth-dead",
      settings: { batch_size: 10, max_retries: 3, max_wait_time_ms: 0 },
    },
  ]);
});

it("stores no secret in its files, except in the copy that only the user can read", async (context) => {
  const bench = await openBench(context);
  const copy = join(bench.records, "../secrets.json");
  await bench.run(["--yes", ...answers, "--secrets-file", copy]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const secrets = [...bench.cloudflare.state.scripts.values()].flatMap((script) => [...script.secrets.values()]);
  const written = JSON.stringify(bench.record()) + bench.lines.join("\n");
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
  expect(JSON.parse(readFileSync(copy, "utf8")).identity.OPERATOR_KEY).toBe(
    bench.cloudflare.state.scripts.get("platform-identity")?.secrets.get("OPERATOR_KEY"),
  );
});

it("stores the secrets of the mail provider from the environment, and not the token of the command", async (context) => {
  const bench = await openBench(context);
  const { scripts } = bench.cloudflare.state;
  await bench.run(undefined, { env: { EMAIL_HOST_PASSWORD: "first", CLOUDFLARE_API_TOKEN: "token" } });
  expect(scripts.get("platform-email")?.secrets.get("EMAIL_HOST_PASSWORD")).toBe("first");
  expect(scripts.get("platform-hosting")?.secrets.has("CLOUDFLARE_API_TOKEN")).toBe(false);
  await bench.run(["--yes"], { env: { EMAIL_HOST_PASSWORD: "second" } });
  expect(scripts.get("platform-email")?.secrets.get("EMAIL_HOST_PASSWORD")).toBe("second");
});

it("changes nothing when it is repeated", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  const secrets = new Map(bench.cloudflare.state.scripts.get("platform-identity")?.secrets);
  bench.cloudflare.heal();
  await bench.run(["--yes"]);
  expect(bench.cloudflare.changes).toEqual([]);
  expect(bench.lines).toContain("  platform-email: unchanged");
  expect(bench.cloudflare.state.scripts.get("platform-identity")?.secrets).toEqual(secrets);
});

it("keeps deployments apart by their name", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  const before = inventory(bench.cloudflare.state);
  const hosts = ["identity", "email", "hosting", "storage"].flatMap((service) => [
    "--host",
    `${service}=${service}-staging.example.com`,
  ]);
  await bench.run(["--yes", "--name", "staging", ...answers, ...hosts]);
  const after = inventory(bench.cloudflare.state);
  expect(after.databases).toEqual([
    ...before.databases,
    ...before.databases.map((name) => name.replace("platform", "platform-staging")),
  ]);
  expect(after.scripts.filter(({ name }) => !name.includes("staging"))).toEqual(before.scripts);
  const staging = after.scripts.find(({ name }) => name === "platform-staging-email");
  expect(staging?.bindings).toContainEqual({
    type: "queue",
    name: "QUEUE_AUTH",
    queue_name: "platform-staging-email-auth",
  });
  expect(bench.record("staging").databases.email).not.toBe(bench.record().databases.email);
});

it("serves all services and apps from one host by path", async (context) => {
  const bench = await openBench(context);
  await bench.run(["--yes", ...answers, "--host", "platform.example.com", "--apps-domain", "apps.example.com"]);
  const { state } = bench.cloudflare;
  expect(state.domains.map(({ hostname, service }) => [hostname, service])).toEqual([
    ["platform.example.com", "platform-edge"],
  ]);
  expect(state.dns).toMatchObject([{ name: "*.apps.example.com", type: "AAAA", content: "100::", proxied: true }]);
  expect(state.routes).toMatchObject([{ pattern: "*.apps.example.com/*", script: "platform-edge" }]);
  expect(bench.lines).toContain("  https://platform.example.com/identity: ok");
  bench.cloudflare.heal();
  await bench.run(["--yes"]);
  expect(bench.cloudflare.changes).toEqual([]);
});

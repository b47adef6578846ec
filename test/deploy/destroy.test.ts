import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Surroundings } from "../../scripts/deploy/deploy.ts";
import type { Prompts } from "../../scripts/deploy/prompts.ts";
import { answers, openBench } from "../support/cloudflare/deployments.ts";
import { inventory } from "../support/cloudflare/inventory.ts";

const staging = ["identity", "email", "hosting", "storage"].flatMap((name) => [
  "--host",
  `${name}=${name}-s.example.com`,
]);

it("deletes one deployment and leaves the others", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  const before = inventory(bench.cloudflare.state);
  await bench.run(["--yes", "--name", "staging", ...answers, ...staging, "--apps-domain", "apps.example.com"]);
  await expect(bench.run(["--destroy", "--name", "staging"])).rejects.toThrow("Add --yes and --name staging");
  expect(bench.lines).toContain("  database platform-staging-email with all its rows");
  expect(bench.lines.at(-1)).toMatch(
    /PLATFORM_EMAIL_URL=https:\/\/email-s\.example\.com .*platform backup staging\.age --recipient <age1…> --secrets <copy/,
  );
  await expect(bench.run(["--destroy", "--yes", "--name", "staging"])).resolves.toBe(true);
  expect(inventory(bench.cloudflare.state)).toEqual(before);
  expect(bench.cloudflare.state.dns).toEqual([]);
  expect(existsSync(join(bench.records, "staging.json"))).toBe(false);
  expect(existsSync(join(bench.records, "platform.json"))).toBe(true);
});

it("needs the name of the deployment, also of the default one", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  bench.cloudflare.heal();
  await expect(bench.run(["--destroy", "--yes"])).rejects.toThrow("Nothing was deleted.");
  expect(bench.cloudflare.changes).toEqual([]);
});

it("keeps buckets with objects, and deletes the rest when it is repeated", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  const { state } = bench.cloudflare;
  state.objects.add("platform-storage-objects");
  await expect(bench.run(["--destroy", "--yes", "--name", "platform"])).resolves.toBe(false);
  expect(bench.lines.at(-1)).toMatch(/^bucket platform-storage-objects still has objects/);
  expect(state.buckets).toEqual(["platform-storage-objects"]);
  expect(state.databases).toEqual([]);
  state.objects.clear();
  await expect(bench.run(["--destroy", "--yes", "--name", "platform"])).resolves.toBe(true);
  expect(state.buckets).toEqual([]);
});

it("continues after a cut at some calls", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  for (const at of [3, 2, 20]) {
    bench.cloudflare.heal();
    bench.cloudflare.cut({ at, when: "after" });
    await expect(bench.run(["--destroy", "--yes", "--name", "platform"])).rejects.toThrow("does not respond");
  }
  bench.cloudflare.heal();
  await bench.run(["--destroy", "--yes", "--name", "platform"]);
  const { databases, buckets, queues, scripts, domains } = inventory(bench.cloudflare.state);
  expect([databases, buckets, queues, scripts, domains]).toEqual([[], [], [], [], []]);
});

it("exports the rows before on a terminal, and deletes nothing when that fails", async (context) => {
  const bench = await openBench(context);
  await bench.run();
  bench.cloudflare.heal();
  const recipient = `age1${"q".repeat(58)}`;
  const prompts: Prompts = {
    confirm: async () => true,
    select: async () => "",
    text: async (message, _suggestion, validate) => {
      const answer = message.startsWith("Public age key") ? recipient : "platform";
      expect(validate(answer), message).toBeUndefined();
      return answer;
    },
  };
  await expect(bench.run(["--destroy"], { prompts })).rejects.toThrow("The export failed, so nothing was deleted.");
  expect(bench.cloudflare.changes).toEqual([]);
  const exports: unknown[] = [];
  const backup: Surroundings["backup"] = async (path, options, _output, env) => {
    exports.push([path, options, env?.PLATFORM_EMAIL_URL]);
    return 0;
  };
  const copy = bench.secretsFile();
  await expect(bench.run(["--destroy", "--secrets-file", copy], { prompts, backup })).resolves.toBe(true);
  const email = bench.cloudflare.publicUrl("https://email.example.com");
  expect(exports).toEqual([
    ["platform.age", { recipients: [recipient], secrets: [copy], withoutSecrets: false }, email],
  ]);
  expect(bench.cloudflare.state.scripts.size).toBe(0);
});

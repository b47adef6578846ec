import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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
    /PLATFORM_EMAIL_URL=https:\/\/email-s\.example\.com .*platform backup staging\.age$/,
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

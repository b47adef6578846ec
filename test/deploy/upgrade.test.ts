import { expect, it } from "vitest";
import { cutAndContinueUpgrade } from "../support/cloudflare/cuts.ts";
import { type Bench, openBench } from "../support/cloudflare/deployments.ts";
import { runningCode } from "../support/cloudflare/inventory.ts";
import { patchSecrets } from "../support/cloudflare/workers-api.ts";

const names = ["identity", "hosting", "storage", "email", "edge"].map((worker) => `platform-${worker}`);

/** Returns the percentages of the versions of a Worker, newest deployment first. */
const splits = ({ cloudflare }: Bench, name: string) =>
  cloudflare.state.scripts.get(name)?.deployments.map(({ versions }) => versions.map(({ percentage }) => percentage));

/** Returns the code that gets all requests, or null while they are split. */
function codeOf({ cloudflare }: Bench, name: string): string | null {
  const script = cloudflare.state.scripts.get(name);
  return script === undefined ? null : runningCode(script);
}

async function openDeployed(context: Parameters<typeof openBench>[0]): Promise<Bench> {
  const bench = await openBench(context);
  await bench.run();
  bench.setCode("release 2");
  return bench;
}

it("upgrades each Worker gradually in the order of the deployment", async (context) => {
  const bench = await openDeployed(context);
  bench.cloudflare.heal();
  await bench.run(["--yes"]);
  expect(bench.lines[1]).toMatch(/: from release release 1 to release 2$/);
  expect(bench.lines).toContainEqual(expect.stringMatching(/^ {2}upgrade Worker platform-storage: /));
  expect(bench.lines.at(-1)).toBe("Runs release 2. Go back with: npm run deploy -- --rollback");
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 2"));
  expect(splits(bench, "platform-identity")).toEqual([[100], [10, 90], [100]]);
  const order = bench.cloudflare.changes.flatMap((call) => /scripts\/([\w-]+)\/versions$/.exec(call)?.[1] ?? []);
  expect(order).toEqual(names);
  expect(bench.record().release).toBe("release 2");
});

it("stops at a Worker that is not healthy, and restores the previous versions", async (context) => {
  const bench = await openDeployed(context);
  bench.cloudflare.unhealthy.add("storage release 2");
  await expect(bench.run(["--yes"])).rejects.toThrow(
    /storage is not healthy \(unhealthy \(503\)\) while its new version gets 10% of the requests.*of this release: identity, hosting\. Stopped at storage\. Unchanged: email, edge/s,
  );
  expect(splits(bench, "platform-storage")?.[0]).toEqual([10, 90]);
  expect(codeOf(bench, "platform-email")).toBe("release 1");
  await bench.run(["--yes", "--rollback"]);
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 1"));
});

it("repairs a Worker that has lost its address, and one that is not healthy until it is upgraded", async (context) => {
  const bench = await openDeployed(context);
  const { state, unhealthy } = bench.cloudflare;
  state.domains = state.domains.filter(({ hostname }) => hostname !== "email.example.com");
  unhealthy.add("storage release 1");
  await bench.run(["--yes"]);
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 2"));
});

it("continues an upgrade that was stopped", async (context) => {
  const bench = await openDeployed(context);
  bench.cloudflare.unhealthy.add("platform-storage");
  await expect(bench.run(["--yes"])).rejects.toThrow("not healthy");
  bench.cloudflare.unhealthy.clear();
  await bench.run(["--yes"]);
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 2"));
});

it("rolls back only the last run, and only once", async (context) => {
  const bench = await openDeployed(context);
  await bench.run(["--yes"]);
  bench.setCode("release 3");
  await bench.run(["--yes"]);
  await bench.run(["--yes", "--rollback"]);
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 2"));
  await expect(bench.run(["--yes", "--rollback"])).rejects.toThrow("Nothing to roll back");
});

it("does not roll back the run that created the Workers", async (context) => {
  const bench = await openBench(context);
  await expect(bench.run(["--yes", "--rollback"])).rejects.toThrow("There is no deployment platform");
  await bench.run();
  await expect(bench.run(["--yes", "--rollback"])).rejects.toThrow("created the Workers");
});

it("does not roll back over a change of secrets, whose former values the older versions have", async (context) => {
  const bench = await openDeployed(context);
  await bench.run(["--yes"]);
  const email = bench.cloudflare.state.scripts.get("platform-email");
  if (email === undefined) throw new Error("There is no Worker platform-email.");
  patchSecrets(email, { secrets: { OPERATOR_KEY: { text: "another" } } });
  bench.cloudflare.heal();
  await expect(bench.run(["--yes", "--rollback"])).rejects.toThrow(/^Nothing was changed\. .* of email were changed/);
  expect(bench.cloudflare.changes).toEqual([]);
  bench.setCode("release 3");
  await bench.run(["--yes"]);
  await bench.run(["--yes", "--rollback"]);
  expect(names.map((name) => codeOf(bench, name))).toEqual(names.map(() => "release 2"));
  expect(email.versions.find(({ id }) => id === email.deployments[0]?.versions[0]?.version_id)?.secrets).toEqual(
    email.secrets,
  );
});

it("continues an upgrade that was cut in the middle of a Worker", async () => {
  for (const at of [2, 3]) {
    expect(new Set(await cutAndContinueUpgrade(at, "after"))).toEqual(new Set(["release 2"]));
  }
});

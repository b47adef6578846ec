import { expect, it } from "vitest";
import { readMigrations } from "../../scripts/deploy/release.ts";
import { services } from "../../scripts/support/services.ts";
import { type Bench, openBench } from "../support/cloudflare/deployments.ts";
import { databaseOf } from "../support/cloudflare/public-web.ts";

/** Lets the Cron Triggers run, records the migrations by their own names, and gives the sender its DNS records. */
function settle({ cloudflare: { state } }: Bench): void {
  for (const service of services) {
    const insert = state.databases
      .find(({ name }) => name === `platform-${service}`)
      ?.db.prepare("INSERT INTO d1_migrations (name) VALUES (?)");
    for (const { name } of readMigrations(`db/${service}/migrations`)) insert?.run(name);
  }
  for (const script of state.scripts.values()) {
    databaseOf(state, script)?.exec(
      `INSERT INTO scheduled_job_runs (job, trigger, status, started_at, host) VALUES ('retry', 'scheduler', 'succeeded', ${Date.now()}, 'h')`,
    );
  }
  const record = { type: "TXT", proxied: false };
  state.dns.push(
    { ...record, id: "spf", name: "example.com", content: '"v=spf1 include:mail.example ~all"' },
    { ...record, id: "dmarc", name: "_dmarc.example.com", content: '"v=DMARC1; p=none"' },
  );
}

async function openSettled(context: Parameters<typeof openBench>[0]): Promise<Bench> {
  const bench = await openBench(context);
  await bench.run();
  settle(bench);
  bench.cloudflare.heal();
  return bench;
}

/** Returns the problems that the check prints. */
async function problemsOf(bench: Bench): Promise<string[]> {
  const isWell = await bench.run(["--check"]);
  const problems = bench.lines.filter((line) => line.startsWith("  "));
  expect(isWell).toBe(problems.length === 0);
  return problems.map((line) => line.trim());
}

it("finds nothing in a complete deployment, and changes nothing", async (context) => {
  const bench = await openSettled(context);
  expect(await problemsOf(bench)).toEqual([]);
  expect(bench.cloudflare.changes).toEqual([]);
});

it("finds resources, consumers, secrets and addresses that are missing", async (context) => {
  const bench = await openSettled(context);
  const { state } = bench.cloudflare;
  state.buckets = state.buckets.filter((name) => name !== "platform-hosting-files");
  const queue = state.queues.find(({ queue_name }) => queue_name === "email-bulk");
  if (queue !== undefined) queue.consumers = [];
  state.scripts.get("platform-email")?.secrets.delete("EMAIL_HASH_PEPPER");
  state.domains = state.domains.filter(({ hostname }) => hostname !== "storage.example.com");
  state.dns = [];
  expect(await problemsOf(bench)).toEqual([
    "The bucket platform-hosting-files is missing. Run the deployment again.",
    "email has no secret EMAIL_HASH_PEPPER. Run the deployment again with --secrets-file and your copy.",
    "storage.example.com leads to no Worker instead of platform-storage. Run the deployment again.",
    "example.com has no SPF record. Add the one of your mail provider.",
    '_dmarc.example.com has no DMARC record. Add "v=DMARC1; p=none".',
    "The queue email-bulk has no consumer. Run the deployment again.",
    expect.stringMatching(/^storage reports no status \(530\)|^storage reports no response/),
  ]);
});

it("finds jobs that do not run, other releases, unknown variables and keys, and bad health", async (context) => {
  const bench = await openSettled(context);
  const { state } = bench.cloudflare;
  const [identity, email] = ["platform-identity", "platform-email"].map((name) => state.scripts.get(name));
  if (identity === undefined || email === undefined) throw new Error("The Workers are missing.");
  databaseOf(state, identity)?.exec("DELETE FROM scheduled_job_runs");
  databaseOf(state, email)?.exec("DELETE FROM service_clients WHERE service = 'storage'");
  identity.versions.at(-1)?.metadata.bindings?.push({ type: "plain_text", name: "OLD_SETTING", text: "1" });
  bench.cloudflare.unhealthy.add("platform-hosting");
  bench.setCode("release 2");
  expect(await problemsOf(bench)).toEqual([
    "email does not know the key of storage. Run the deployment again.",
    "identity has the variable OLD_SETTING, which the code does not know. Remove it.",
    "The last complete run deployed release 1, this checkout is release 2.",
    "The Cron Trigger of identity has not run yet. After a first deployment, wait a few minutes. Otherwise see Jobs do not run in docs/operate.md.",
    "hosting reports unhealthy (503). npx wrangler tail platform-hosting shows why at the next request.",
  ]);
  bench.cloudflare.unhealthy.clear();
  await bench.run(["--yes"]);
  expect(bench.lines).toContain("  platform-storage: upgraded");
});

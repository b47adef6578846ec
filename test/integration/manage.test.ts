import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scheduled_job_runs } from "../../db/hosting/schema";
import { event_log } from "../../db/identity/schema";
import { PLATFORM } from "../../db/kit/webhooks";
import type { Service } from "../../scripts/support/services.ts";
import { idBefore } from "../../workers/kit/ids";
import { runtimeEnv } from "../support/cli/command.ts";
import { makeProject } from "../support/cli/project.ts";
import { type Platform, startIsolatedPlatform } from "../support/platform/platform.ts";

const launcher = fileURLToPath(new URL("../../cli/platform.mjs", import.meta.url));
const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
let platform: Platform;

beforeAll(async () => {
  platform = await startIsolatedPlatform({
    identity: { OPERATOR_KEY },
    email: { OPERATOR_KEY },
    hosting: { OPERATOR_KEY },
  });
  return () => platform.close();
});

/** Runs `platform …` with piped output, as a script does. */
function run(args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const commandEnv = { ...runtimeEnv, PLATFORM_OPERATOR_KEY: OPERATOR_KEY, ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], { env: commandEnv, timeout: 30_000 }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

const manage = (command: string, ...flags: string[]) =>
  run(["manage", "identity", command, ...flags, "--url", `${platform.url}/identity`]);

describe("platform manage", () => {
  it("creates a staff account whose printed link signs in, and prints JSON when piped", async () => {
    const { code, out, err } = await manage("create_staff", "--email", "ops@example.com", "--company", "1");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const result = JSON.parse(out) as { line: string; exit_code: number };
    expect(result).toMatchObject({ command: "create_staff", exit_code: 0, run_id: null, counts: {} });
    const link = new URL(/link=(\S+)/.exec(result.line)?.[1] ?? "");
    expect(link.href).toMatch(`${platform.url}/identity/api/v1/magic-link/verify?token=`);
    const signedIn = await fetch(`${platform.url}/identity/api/v1/magic-link/verify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: link.searchParams.get("token"), company_id: 1 }),
    });
    expect(signedIn.status).toBe(200);
  });

  it("exits with 1 and one line when the command fails", async () => {
    const { code, out, err } = await manage("create_staff", "--email", "ops@example.com", "--company", "77");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: "CommandError: create_staff failed: CommandRefusal: there is no company 77 (run_id=-)\n",
    });
  });

  it("exits with 1 for a rejected key or an unreachable service, and never prints the key", async () => {
    const rejected = await run(
      ["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", `${platform.url}/identity`],
      { PLATFORM_OPERATOR_KEY: `opk_${"x".repeat(40)}` },
    );
    expect(rejected).toMatchObject({ code: 1, out: "" });
    expect(rejected.err).toContain("token_invalid");
    const unreachable = await run(["manage", "identity", "set_staff", "--email", "a@example.com", "--off"], {
      PLATFORM_IDENTITY_URL: "http://127.0.0.1:9",
    });
    expect(unreachable).toMatchObject({ code: 1, err: expect.stringContaining("Unreachable: http://127.0.0.1:9") });
    expect(rejected.err + unreachable.err).not.toContain("opk_");
  });

  it("exits with 1 when the response ends before its last line", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end('{"type":"start","command":"set_staff","run_id":null}\n');
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    afterAll(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { code, err } = await run(["manage", "identity", "set_staff", "--email", "a@example.com", "--off"], {
      PLATFORM_IDENTITY_URL: `http://127.0.0.1:${port}`,
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: "CommandError: set_staff failed: Interrupted: the response ended before its last line (run_id=-)\n",
    });
  });

  it("runs the jobs of hosting, records them with trigger command, and records no dry run", async () => {
    const hosting = (...args: string[]) => run(["manage", "hosting", ...args, "--url", `${platform.url}/hosting`]);
    const counts = { events: 0, webhook_deliveries: 0, email_events: 0, scheduled_job_runs: 0 };
    const dryRun = await hosting("purge_expired_data", "--dry-run");
    expect({ code: dryRun.code, err: dryRun.err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(dryRun.out)).toMatchObject({
      run_id: null,
      counts,
      line: expect.stringContaining("would delete"),
    });
    for (const job of ["purge_expired_data", "retry_webhooks"]) {
      const { code, out } = await hosting(job, "--max-seconds", "5");
      const { run_id } = JSON.parse(out) as { run_id: number };
      expect({ code, run_id }).toEqual({ code: 0, run_id: expect.any(Number) });
      const isRun = eq(scheduled_job_runs.id, run_id);
      expect(await platform.rows.hosting.readRows(scheduled_job_runs, isRun)).toMatchObject([
        { job, trigger: "command" },
      ]);
    }
    expect((await hosting("retry_webhooks", "--max-seconds", "111")).code).toBe(2);
    const byCommand = eq(scheduled_job_runs.trigger, "command");
    expect(await platform.rows.hosting.countRows(scheduled_job_runs, byCommand)).toBe(2);
  });

  it("imports people from a file and exports them to one that imports unchanged", async (context) => {
    const csv = ["email,first_name,email_verified,google_id", "noor@aster.example,Noor,true,1084", "nobody,,,", ""];
    const cwd = makeProject(context, { "people.csv": csv.join("\n") });
    const people = ["--company", "1", "--file", `${cwd}/people.csv`];
    const countsOf = ({ out }: { out: string }) => (JSON.parse(out) as { counts: Record<string, number> }).counts;
    const dryRun = await manage("import_people", ...people, "--dry-run");
    expect(countsOf(dryRun)).toMatchObject({ created: 1, rejected: 1 });
    const imported = await manage("import_people", ...people, "--allow");
    expect(imported.code).toBe(1);
    expect(imported.err).toContain("line 3: email (invalid_format)");
    expect(countsOf(imported)).toMatchObject({ created: 1, rejected: 1 });
    expect(countsOf(await manage("import_people", ...people))).toMatchObject({ created: 0, unchanged: 1 });
    const exported = await manage("export_people", "--company", "1", "--output", `${cwd}/members.csv`);
    expect(exported).toMatchObject({ code: 0, err: expect.stringMatching(/^export_people: people=\d+\n$/) });
    expect(readFileSync(`${cwd}/members.csv`, "utf8")).toContain("noor@aster.example,true,Noor,");
    const again = await manage("import_people", "--company", "1", "--file", `${cwd}/members.csv`);
    // The staff accounts of the company are exported, but only commands give them access.
    expect(countsOf(again)).toMatchObject({ created: 0, updated: 0 });
  });

  it.each([
    [["manage", "identity", "nonsense"]],
    [["manage", "nowhere", "create_staff"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com", "--company", "x"]],
    [["manage", "identity", "create_staff", "--email", "a@example.com", "--company", "1", "--nope"]],
    [["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", "http://example.com"]],
    [["manage", "identity", "set_staff", "--email", "a@example.com", "--off", "--url", "nonsense"]],
  ])("exits with 2 for the invalid arguments %j", async (args) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).not.toBe("");
  });

  it("prints help with ranges and defaults, and exits with 0", async () => {
    const { code, out } = await run(["manage", "identity", "create_company", "--help"]);
    expect(code).toBe(0);
    for (const flag of ["--name <text>", "--owner-email <address>", "--redirect-origin <url>", "--url <origin>"]) {
      expect(out).toContain(flag);
    }
    expect((await run(["manage", "identity", "create_staff", "--help"])).out).toMatch(
      /--company <n> +id of the company/,
    );
  });

  it("generates a signing key pair that identity accepts", async () => {
    const { code, out } = await run(["manage", "identity", "generate_jwt_keys"], { PLATFORM_OPERATOR_KEY: "" });
    expect(code).toBe(0);
    const pair = JSON.parse(out) as { private_key: string; public_key: string };
    expect(pair.private_key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(pair.public_key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    const { createPrivateKey, createPublicKey } = await import("node:crypto");
    const derived = createPublicKey(createPrivateKey(pair.private_key)).export({ type: "spki", format: "pem" });
    expect(derived).toBe(pair.public_key);
  });
});

describe("scheduled jobs", () => {
  const readRuns = (service: Service) =>
    platform.rows[service].readRows(scheduled_job_runs, undefined, asc(scheduled_job_runs.id));

  it("run by cron in every service with a lock, a heartbeat and a record", async () => {
    platform.takeLogs();
    await platform.runCron("* * * * *");
    await platform.runCron("17 * * * *");
    // The list is sorted, because the jobs of a minute run concurrently.
    expect((await readRuns("identity")).map(({ job, trigger, status }) => [job, trigger, status]).sort()).toEqual([
      ["purge_expired_data", "scheduler", "succeeded"],
      ["retry_mail", "scheduler", "succeeded"],
      ["retry_webhooks", "scheduler", "succeeded"],
    ]);
    expect((await readRuns("email")).map(({ job, trigger, status }) => [job, trigger, status]).sort()).toEqual([
      ["purge_expired_data", "scheduler", "succeeded"],
      ["retry_webhooks", "scheduler", "succeeded"],
      ["sweep_email_queue", "scheduler", "succeeded"],
    ]);
    const hostingRuns = (await readRuns("hosting")).filter(({ trigger }) => trigger === "scheduler");
    expect(hostingRuns.map(({ job, status }) => [job, status])).toEqual([
      ["retry_webhooks", "succeeded"],
      ["purge_expired_data", "succeeded"],
    ]);
    const storageRuns = (await readRuns("storage")).filter(({ trigger }) => trigger === "scheduler");
    expect(storageRuns.map(({ job, status }) => [job, status]).sort()).toEqual([
      ["purge_expired_data", "succeeded"],
      ["retry_webhooks", "succeeded"],
      ["sweep_storage", "succeeded"],
    ]);
    const summaries = platform
      .takeLogs()
      .filter((line) => /purge_expired_data: deleted events=0 .*complete=true/.test(line));
    expect(summaries).toHaveLength(4);
  });

  it("run by command in batches, with one run and one printed result", async () => {
    const old = Date.now() - 8 * 86_400_000;
    await platform.rows.identity.insertRows(
      event_log,
      Array.from({ length: 20 }, (_, i) => ({
        company_id: PLATFORM,
        id: `${idBefore(old)}${i}`,
        event_type: "test.old",
        data: "{}",
        created_at: old,
      })),
    );
    const dryRun = await manage("purge_expired_data", "--dry-run");
    expect(JSON.parse(dryRun.out)).toMatchObject({
      exit_code: 0,
      run_id: null,
      line: expect.stringMatching(/^purge_expired_data: would delete events=20 /),
    });
    const { code, out, err } = await manage("purge_expired_data", "--batch-size", "10");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const result = JSON.parse(out) as { run_id: number; counts: object };
    expect(result.counts).toMatchObject({ events: 20, complete: true });
    const [last] = (await readRuns("identity")).slice(-1);
    expect(last).toMatchObject({ id: result.run_id, trigger: "command" });
  });

  it("accept --no-lock, and exit with 2 for flags out of range", async () => {
    const email = (...args: string[]) => run(["manage", "email", ...args, "--url", `${platform.url}/email`]);
    const { code, out } = await email("sweep_email_queue", "--no-lock", "--batch-size", "10");
    expect(code).toBe(0);
    const { run_id, line } = JSON.parse(out) as { run_id: number; line: string };
    expect(line).toBe(`sweep_email_queue: expired=0 released=0 rung=0 run_id=${run_id}`);
    const [row] = await platform.rows.email.readRows(scheduled_job_runs, eq(scheduled_job_runs.id, run_id));
    expect(row?.lock_fence).toBeNull();
    expect((await email("purge_expired_data", "--max-seconds", "86401")).code).toBe(2);
    expect((await email("sweep_email_queue", "--batch-size", "0")).code).toBe(2);
  });
});

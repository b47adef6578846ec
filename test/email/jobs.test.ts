import { desc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { event_log, scheduled_job_runs, scheduled_job_states } from "../../db/email/schema";
import type { ManagementLine } from "../../schemas/management";
import type { EmailBindings } from "../../workers/email/bindings";
import { sweepQueue } from "../../workers/email/operations/jobs/sweep";
import worker from "../../workers/email/worker";
import { clock } from "../../workers/kit/clock";
import { DatabaseError } from "../../workers/kit/db/db";
import { openBroker } from "../../workers/kit/jobs/lock/broker";
import { DAY_MS } from "../../workers/kit/time";
import { eventIdAt, isNumbered } from "../support/db/event-ids";
import { createCompany, startDelivery } from "../support/email/delivery";
import { startEmail, testEnv } from "../support/email/email";
import { readMessage, storeMessage } from "../support/email/messages";
import { insertRow, readRows, updateRows } from "../support/email/rows";
import { gate, isolatedLocks, tick, unreleased } from "../support/jobs/jobs";

const OPERATOR_KEY = `opk_${"e".repeat(40)}`;
const systemNow = clock.now;
let logLines: string[] = [];
beforeEach(() => {
  logLines = [];
  for (const method of ["log", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line) => void logLines.push(String(line)));
  }
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

async function setUp(vars: Partial<Record<keyof EmailBindings, unknown>> = {}) {
  const email = await startEmail({ vars: { OPERATOR_KEY, BROKER: await isolatedLocks(), ...vars } as never });
  const staff = await email.token({ isStaff: true });
  return { email, staff };
}

async function newestRun(job: string) {
  const [newest] = await readRows(scheduled_job_runs, eq(scheduled_job_runs.job, job), desc(scheduled_job_runs.id));
  return newest;
}

async function run(
  email: Awaited<ReturnType<typeof startEmail>>,
  command: string,
  flags: unknown,
  bearer = OPERATOR_KEY,
) {
  const response = await email.call(`/api/v1/management/${command}`, { bearer, json: { flags } });
  if (response.status !== 200) return { status: response.status, lines: [] };
  const lines = (await response.text()).trim().split("\n");
  return { status: 200, lines: lines.map((line) => JSON.parse(line) as ManagementLine) };
}

describe("cron triggers", () => {
  it("run the sweep and the purge with locks, and record runs and events", async () => {
    const { email } = await setUp();
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: clock.now() - 1 });
    await tick(worker, email.bindings);
    expect((await readMessage(id)).status).toBe("expired");
    const sweep = await newestRun("sweep_email_queue");
    expect(sweep).toMatchObject({ trigger: "scheduler", status: "succeeded", lock_fence: 1 });
    expect(sweep?.counts).toMatchObject({ released: expect.any(Number), rung: expect.any(Number) });
    expect(logLines.map((line) => JSON.parse(line).message)).toContainEqual(
      expect.stringMatching(
        new RegExp(`^sweep_email_queue: expired=\\d+ released=\\d+ rung=\\d+ run_id=${sweep?.id}$`),
      ),
    );
    const [event] = await readRows(event_log, isNumbered(sweep?.event_log_id));
    expect(event).toMatchObject({ event_type: "email.scheduled_job.succeeded", company_id: 0 });
    await insertRow(event_log, {
      company_id: 0,
      id: eventIdAt(clock.now() - 8 * DAY_MS),
      event_type: "test.old",
      data: "{}",
      created_at: clock.now() - 8 * DAY_MS,
    });
    await tick(worker, email.bindings, "17 * * * *");
    const purge = await newestRun("purge_expired_data");
    expect(purge?.status).toBe("succeeded");
    expect(purge?.counts).toMatchObject({ events: 1, complete: true });
  });

  it("record a run that a database error interrupted as failed, with its error key", async () => {
    const { email } = await setUp();
    const bindings = {
      ...email.bindings,
      DB: {
        withSession: (constraint: D1SessionConstraint) => {
          const session = testEnv.DB.withSession(constraint);
          return {
            prepare: (text: string) => {
              if (text.includes('from "messages"')) throw new DatabaseError("D1_ERROR: unavailable");
              return session.prepare(text);
            },
            batch: (statements: D1PreparedStatement[]) => session.batch(statements),
          };
        },
      },
    } as unknown as EmailBindings;
    await tick(worker, bindings);
    expect(await newestRun("sweep_email_queue")).toMatchObject({ status: "failed", error_key: "database_error" });
  });
});

it("sends sign-in mail despite the lock of a dead sweep, and other mail once that lock has expired", async () => {
  const { email } = await setUp();
  const company = createCompany();
  const lost = { status: "sending", lease_token: "dead", locked_until: clock.now() - 1, attempt_count: 1 } as const;
  const link = await storeMessage(company, { ...lost, lane: "auth" });
  const notice = await storeMessage(company, { ...lost, lane: "transactional" });
  const { BROKER } = email.bindings;
  if (BROKER === undefined) throw new Error("no broker is bound");
  const broker = openBroker(BROKER, "email", () => {});
  const dead = { token: "dead", ttl_s: 20, trigger: "scheduler", host: "w@unknown:dead" } as const;
  expect(await broker.acquire("sweep_email_queue", dead)).toMatchObject({ ok: true });
  await tick(worker, email.bindings);
  expect((await readMessage(link)).lease_token).not.toBe("dead");
  expect(await readMessage(notice)).toMatchObject({ status: "sending", lease_token: "dead" });
  const now = clock.now();
  clock.now = () => now + 20_000;
  await tick(worker, email.bindings);
  expect((await readMessage(notice)).lease_token).not.toBe("dead");
});

it("enqueues the messages of a dead sweep after 20 s", async () => {
  const locks = await isolatedLocks();
  const { email } = await setUp({ BROKER: locks });
  await tick(worker, { ...email.bindings, BROKER: unreleased(locks) });
  const lost = { status: "sending", lease_token: "dead", locked_until: clock.now() - 1, attempt_count: 1 } as const;
  const notice = await storeMessage(createCompany(), { ...lost, lane: "transactional" });
  await tick(worker, email.bindings);
  expect((await readMessage(notice)).lease_token).toBe("dead");
  const now = clock.now();
  clock.now = () => now + 20_000;
  await tick(worker, email.bindings);
  expect((await readMessage(notice)).lease_token).not.toBe("dead");
});

it("renews the lock of a sweep that works for longer than 20 s", async () => {
  const { email } = await setUp();
  const { BROKER } = email.bindings;
  if (BROKER === undefined) throw new Error("no broker is bound");
  const broker = openBroker(BROKER, "email", () => {});
  const [started, mayFinish] = [gate(), gate()];
  const slow = {
    withSession: (constraint: D1SessionConstraint) => {
      const session = testEnv.DB.withSession(constraint);
      // Blocks only the statements of the sweep, so that the other job of the cron can finish.
      const sweepStatements = new Set<D1PreparedStatement>();
      return {
        prepare: (text: string) => {
          const statement = session.prepare(text);
          if (!text.includes('from "messages"')) return statement;
          const bind = (...values: unknown[]) => {
            const bound = statement.bind(...values);
            sweepStatements.add(bound);
            return bound;
          };
          return { bind };
        },
        batch: async (statements: D1PreparedStatement[]) => {
          if (statements.some((statement) => sweepStatements.has(statement))) {
            started.open();
            await mayFinish.opened;
          }
          return session.batch(statements);
        },
      };
    },
  };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const first = tick(worker, { ...email.bindings, DB: slow } as unknown as EmailBindings);
    await started.opened;
    const now = clock.now();
    clock.now = () => now + 15_000;
    vi.advanceTimersByTime(5000);
    const ends = async () => (await broker.holder("sweep_email_queue"))?.expires_at;
    await expect.poll(ends, { timeout: 5000 }).toBe(now + 35_000);
    clock.now = () => now + 30_000;
    const lost = { status: "sending", lease_token: "dead", locked_until: now, attempt_count: 1 } as const;
    const notice = await storeMessage(createCompany(), { ...lost, lane: "transactional" });
    await tick(worker, email.bindings);
    expect((await readMessage(notice)).lease_token).toBe("dead");
    mayFinish.open();
    await first;
    expect((await newestRun("sweep_email_queue"))?.status).toBe("succeeded");
  } finally {
    mayFinish.open();
    vi.useRealTimers();
  }
});

it("expires and enqueues no messages in a sweep that has lost its lock", async () => {
  const harness = startDelivery({ at: Date.UTC(2019, 0, 1) });
  const company = createCompany();
  const expired = await storeMessage(company, { expires_at: harness.now() - 1 });
  const leased = await storeMessage(company, {
    status: "sending",
    lease_token: "t",
    locked_until: harness.now(),
    attempt_count: 1,
    claim_count: 1,
    expires_at: null,
  });
  await updateRows(scheduled_job_states, { fence: 7 }, eq(scheduled_job_states.job, "sweep_email_queue"));
  const lost = { fence: 6, stopAt: Number.POSITIVE_INFINITY, report: () => {} };
  await sweepQueue(harness.build(), lost);
  expect([(await readMessage(expired)).status, (await readMessage(leased)).status]).toEqual(["queued", "sending"]);
  await sweepQueue(harness.build(), { ...lost, fence: 7 });
  expect([(await readMessage(expired)).status, (await readMessage(leased)).status]).toEqual(["expired", "retrying"]);
});

it("lists the scheduled jobs only for staff", async () => {
  const { email, staff } = await setUp();
  await tick(worker, email.bindings);
  const response = await email.call("/api/v1/scheduled-jobs", { bearer: staff });
  expect(response.status).toBe(200);
  const list = await response.json<{ jobs: { job: string; overdue_after_seconds: number }[] }>();
  expect(list.jobs.map(({ job, overdue_after_seconds }) => [job, overdue_after_seconds])).toEqual([
    ["retry_webhooks", 180],
    ["sweep_email_queue", 180],
    ["watch", 900],
    ["purge_expired_data", 8100],
  ]);
  const owner = await email.token({ companyId: createCompany(), isOwner: true });
  for (const path of ["", "/sweep_email_queue/runs", "/runs/1"]) {
    expect((await email.call(`/api/v1/scheduled-jobs${path}`, { bearer: owner })).status).toBe(403);
    expect((await email.call(`/api/v1/scheduled-jobs${path}`)).status).toBe(401);
  }
});

describe("the job commands", () => {
  it("run the jobs for the operator key and staff, and print counts and the run id", async () => {
    const { email, staff } = await setUp();
    for (const bearer of [OPERATOR_KEY, staff]) {
      const { lines } = await run(email, "sweep_email_queue", { batch_size: 10 }, bearer);
      const jobRun = await newestRun("sweep_email_queue");
      expect(jobRun?.trigger).toBe("command");
      expect(lines[0]).toEqual({ type: "start", command: "sweep_email_queue", run_id: jobRun?.id });
      expect(lines.at(-1)).toMatchObject({
        line: expect.stringMatching(
          new RegExp(`^sweep_email_queue: expired=\\d+ released=\\d+ rung=\\d+ run_id=${jobRun?.id}$`),
        ),
      });
    }
    const { lines } = await run(email, "sweep_email_queue", { dry_run: true });
    expect(lines.at(-1)).toMatchObject({
      run_id: null,
      line: expect.stringMatching(/^sweep_email_queue: would expire=\d+ release=\d+ ring=\d+$/),
    });
    expect((await run(email, "purge_expired_data", {})).lines.at(-1)).toMatchObject({ exit_code: 0 });
  });

  it("reject owners, unknown keys, unknown commands and flags out of range", async () => {
    const { email } = await setUp();
    const owner = await email.token({ companyId: createCompany(), isOwner: true });
    expect((await run(email, "purge_expired_data", {}, owner)).status).toBe(403);
    expect((await run(email, "purge_expired_data", {}, `opk_${"x".repeat(40)}`)).status).toBe(401);
    expect((await run(email, "drop_everything", {})).status).toBe(404);
    expect((await run(email, "sweep_email_queue", { batch_size: 501 })).status).toBe(400);
  });
});

it("returns 503 for health and logs one error without BROKER when DEBUG is off", async () => {
  const { email } = await setUp({
    BROKER: undefined,
    DEBUG: "false",
    PUBLIC_BASE_URL: "https://email.example.com",
    PROVIDER_API_URL: "https://mail.example.com",
  });
  const health = await email.call("/api/v1/health");
  expect([health.status, (await health.json<{ error_code: string }>()).error_code]).toEqual([
    503,
    "service_unavailable",
  ]);
  await tick(worker, email.bindings);
  expect(logLines.filter((line) => line.includes("BROKER_URL is required when DEBUG is false"))).toHaveLength(1);
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import { countRows } from "../webhooks/rows";
import type { Sibling } from "./sibling";
import { readError } from "./sibling";

type BadSetting = readonly [name: string, value: string];

const unreadable: readonly BadSetting[] = [
  ["JOBS_WORKER_CONCURRENCY", "0"],
  ["JOBS_WORKER_CONCURRENCY", "9"],
  ["SCHEDULER_ENABLED", "maybe"],
  ["EVENT_LOG_RETENTION_DAYS", "0"],
  ["EVENT_LOG_RETENTION_DAYS", "1.5"],
  ["ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS", "59"],
  ["ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS", "901"],
  ["ACTIONS_WEBHOOK_TIMEOUT_SECONDS", "31"],
  ["ACTIONS_WEBHOOK_DISPATCH_WORKERS", "7"],
  ["ACTIONS_WEBHOOK_ALLOW_PRIVATE", "2"],
  ["ACTIONS_OUTBOX_MAX_ATTEMPTS", "9"],
  ["ACTIONS_MAX_IN_FLIGHT_PER_RULE", "51"],
  ["ACTIONS_MAX_IN_FLIGHT_PER_HOST", "0"],
  ["ACTIONS_RETRY_FANOUT", "51"],
  ["ACTIONS_ENCRYPTION_KEY", "c2hvcnQ="],
  ["ACTIONS_ENCRYPTION_PREVIOUS_KEYS", "c2hvcnQ="],
  ["EMAIL_SERVICE_URL", "email.example.com"],
  ["ERROR_REPORTING_DSN", "nonsense"],
  ["API_MUTATION_RATE_LIMIT", "300"],
  ["IDENTITY_ISSUER", ""],
  ["OPERATOR_KEY", "short"],
];

/**
 * Checks that the service returns 503 with invalid settings. `furtherSettings` are invalid settings that only this
 * service has, as name and value.
 */
export async function checkSettings(sibling: Sibling, furtherSettings: readonly BadSetting[] = []): Promise<void> {
  const { service, start, testEnv } = sibling;
  afterEach(() => vi.restoreAllMocks());

  const unavailable = [503, "service_unavailable"];
  const paths = [
    `/${service}/v1/health`,
    "/api/v1/health",
    "/api/v1/scheduled-jobs",
    `/${service}/v1/metrics/all`,
    "/nothing",
  ];
  const lines = (spy: { mock: { calls: unknown[][] } }, text: string) =>
    spy.mock.calls.filter(([line]) => String(line).includes(text)).length;
  const runs = () => countRows(scheduled_job_runs, undefined);

  describe("a deployment without a broker", () => {
    const message = "BROKER_URL is required when DEBUG is false";

    it.each([
      { BROKER: undefined },
      { WEBHOOKS_QUEUE: undefined },
      { SERVICE_QUEUE: undefined },
      { BROKER: undefined, JOBS_BROKER: testEnv.BROKER },
      { BROKER: undefined, SCHEDULER_ENABLED: "false" },
    ])("rejects every request, including health checks, and logs one error: %o", async (vars) => {
      const errors = vi.spyOn(console, "error");
      const worker = await start({ vars: { DEBUG: "false", ...vars } });
      for (const path of paths) expect(await readError(await worker.call(path))).toEqual(unavailable);
      expect(lines(errors, message)).toBe(1);
    });

    it("runs no job on a cron", async () => {
      const worker = await start({ vars: { DEBUG: "false", BROKER: undefined, JOBS_BROKER: testEnv.BROKER } });
      const before = await runs();
      await worker.runCron("17 * * * *");
      expect([await runs(), worker.roundTrips()]).toEqual([before, 0]);
    });

    it("handles requests but runs no jobs when DEBUG is true, and logs one warning", async () => {
      const warnings = vi.spyOn(console, "warn");
      const worker = await start({ vars: { BROKER: undefined } });
      for (const path of paths.slice(0, 2)) expect((await worker.call(path)).status).toBe(200);
      const before = await runs();
      await worker.runCron("17 * * * *");
      expect(await runs()).toBe(before);
      expect(lines(warnings, "BROKER_URL is not set")).toBe(1);
      const staff = await worker.token({ isStaff: true, companyId: 1 });
      const jobs = await (await worker.call("/api/v1/scheduled-jobs", { bearer: staff })).json();
      expect(jobs).toMatchObject({ broker_reachable: null, scheduler_state: "no_broker", beat_last_seen_at: null });
    });

    it("runs jobs when DEBUG is true and only JOBS_BROKER is bound", async () => {
      const worker = await start({ vars: { BROKER: undefined, JOBS_BROKER: testEnv.BROKER } });
      const before = (await runs()) ?? 0;
      await worker.runCron("17 * * * *");
      expect(await runs()).toBe(before + 1);
    });
  });

  describe("an invalid setting", () => {
    it.each([...unreadable, ...furtherSettings])(
      "causes every request to be rejected and is named in the log: %s=%s",
      async (name, value) => {
        const errors = vi.spyOn(console, "error");
        const worker = await start({ vars: { [name]: value } });
        for (const path of paths) expect(await readError(await worker.call(path))).toEqual(unavailable);
        expect(lines(errors, `invalid setting: ${name}, allowed: `)).toBe(1);
        const before = await runs();
        await worker.runCron("17 * * * *");
        expect(await runs()).toBe(before);
      },
    );

    it("may be a missing encryption key, which is valid only when DEBUG is true", async () => {
      const vars = { DEBUG: "false", ACTIONS_ENCRYPTION_KEY: "" };
      expect((await (await start({ vars })).call(`/${service}/v1/health`)).status).toBe(503);
      const open = await start({ vars: { ...vars, DEBUG: "true" } });
      expect((await open.call(`/${service}/v1/health`)).status).toBe(200);
    });
  });
}

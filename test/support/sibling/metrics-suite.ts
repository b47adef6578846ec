import { describe, expect, it } from "vitest";
import type { Sibling } from "./sibling";
import { readError } from "./sibling";

/** Checks the metrics of a service: who may read them, and the series of jobs and webhooks. */
export async function checkMetrics(sibling: Sibling, jobs: readonly string[]): Promise<void> {
  const { service, start } = sibling;
  const worker = await start();
  const company = 4711;
  const metricsPath = `/${service}/v1/metrics`;
  const all = `/${service}/v1/metrics/all`;

  async function statusOf(path: string, user: Parameters<typeof worker.token>[0], init: RequestInit = {}) {
    const [status, code] = await readError(await worker.call(path, { bearer: await worker.token(user), ...init }));
    return code === undefined ? status : [status, code];
  }

  describe("metrics of one company", () => {
    it("are readable by its owners and staff", async () => {
      expect(await readError(await worker.call(metricsPath))).toEqual([401, "unauthorized"]);
      expect(await statusOf(metricsPath, { companyId: company })).toEqual([403, "forbidden"]);
      expect(await statusOf(metricsPath, { companyId: company, pat: { agm: true } })).toEqual([403, "forbidden"]);
      expect(await statusOf(metricsPath, { companyId: company, isOwner: true })).toBe(200);
      expect(await statusOf(metricsPath, { companyId: company, isOwner: true, pat: { readOnly: true } })).toBe(200);
      expect(await statusOf(metricsPath, { companyId: company, isStaff: true })).toBe(200);
    });

    it("cover only the token's company, and reject company_id before checking the role", async () => {
      const companyNotAllowed = [400, "company_id_not_allowed"];
      expect(await statusOf(`${metricsPath}?company_id=${company}`, { companyId: company, isOwner: true })).toEqual(
        companyNotAllowed,
      );
      expect(await statusOf(`${metricsPath}?company_id=1`, { companyId: company })).toEqual(companyNotAllowed);
      expect(await statusOf(metricsPath, { isStaff: true })).toEqual([400, "validation_failed"]);
    });

    it("contain no job metrics", async () => {
      const bearer = await worker.token({ companyId: company, isStaff: true });
      expect(await (await worker.call(metricsPath, { bearer })).text()).not.toContain("scheduled_job");
    });
  });

  describe("metrics over all companies", () => {
    it("are readable by staff, and by tokens with access_global_metrics", async () => {
      expect(await readError(await worker.call(all))).toEqual([401, "unauthorized"]);
      expect(await statusOf(all, { companyId: company, isOwner: true })).toEqual([403, "forbidden"]);
      expect(await statusOf(all, { companyId: company, isOwner: true, pat: {} })).toEqual([403, "forbidden"]);
      expect(await statusOf(all, { companyId: company, pat: { agm: true, readOnly: true } })).toBe(200);
      expect(await statusOf(all, { isStaff: true })).toBe(200);
      expect(await statusOf(all, { companyId: company, isStaff: true, pat: {} })).toBe(200);
    });

    it("depend on the current permissions of a token instead of its claims", async () => {
      const revoking = await start({
        introspect: async () => ({ active: false, status: 401, error_code: "token_invalid" }),
      });
      const bearer = await revoking.token({ companyId: company, pat: { agm: true } });
      expect(await readError(await revoking.call(all, { bearer }))).toEqual([401, "unauthorized"]);
      const withoutIdentity = await start({ introspect: () => Promise.reject(new Error("unavailable")) });
      const other = await withoutIdentity.token({ companyId: company, pat: { agm: true } });
      expect(await readError(await withoutIdentity.call(all, { bearer: other }))).toEqual([503, "service_unavailable"]);
    });

    it("contain every job metric, and need at most two database calls", async () => {
      await worker.runCron("17 * * * *");
      const bearer = await worker.token({ isStaff: true });
      const before = worker.roundTrips();
      const response = await worker.call(all, { bearer });
      expect(worker.roundTrips() - before).toBeLessThanOrEqual(2);
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const text = await response.text();
      for (const job of jobs) {
        for (const status of ["succeeded", "failed", "skipped_locked"]) {
          expect(text).toMatch(
            new RegExp(`^platform_${service}_scheduled_job_runs_total\\{job="${job}",status="${status}"\\} \\d+$`, "m"),
          );
        }
        for (const name of ["last_success_timestamp_seconds", "last_run_timestamp_seconds", "overdue"]) {
          expect(text).toMatch(new RegExp(`^platform_${service}_scheduled_job_${name}\\{job="${job}"\\} \\d+$`, "m"));
        }
      }
      for (const kind of ["events", "webhook_deliveries", "email_events", "scheduled_job_runs"]) {
        expect(text).toContain(
          `platform_${service}_scheduled_job_items_total{job="purge_expired_data",kind="${kind}"}`,
        );
      }
      expect(text).not.toContain('kind="complete"');
      for (const series of ["oldest_due_seconds", "rules_failing", "hosts_limited"]) {
        expect(text).toMatch(new RegExp(`^platform_${service}_webhook_${series} [\\d.]+$`, "m"));
      }
      for (const status of ["pending", "failed"]) {
        expect(text).toMatch(new RegExp(`^platform_${service}_webhook_deliveries\\{status="${status}"\\} \\d+$`, "m"));
      }
      expect(text).toMatch(
        new RegExp(
          `^platform_${service}_scheduled_job_last_run_duration_seconds\\{job="purge_expired_data"\\} [\\d.]+$`,
          "m",
        ),
      );
      expect(text).toMatch(new RegExp(`^platform_${service}_scheduler_enabled 1$`, "m"));
      expect(text).toMatch(new RegExp(`^platform_${service}_scheduler_broker_up 1$`, "m"));
      expect(text).toMatch(new RegExp(`^platform_${service}_scheduler_beat_last_seen_timestamp_seconds \\d{10}$`, "m"));
    });

    it("omit the broker's metrics when no broker is bound", async () => {
      const withoutBroker = await start({ vars: { BROKER: undefined, SCHEDULER_ENABLED: "false" } });
      const text = await (
        await withoutBroker.call(all, { bearer: await withoutBroker.token({ isStaff: true }) })
      ).text();
      expect(text).toMatch(new RegExp(`^platform_${service}_scheduler_enabled 0$`, "m"));
      expect(text).not.toContain("scheduler_broker_up");
      expect(text).not.toContain("scheduler_beat_last_seen");
    });
  });
}

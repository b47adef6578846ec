import { desc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import type { ManagementLine } from "../../../schemas/management";
import { readRows } from "../webhooks/rows";
import type { Sibling } from "./sibling";
import { readError } from "./sibling";

/** Checks the management commands that every service has. */
export async function checkManagement({ start, testEnv }: Sibling): Promise<void> {
  const worker = await start();
  const operator = testEnv.OPERATOR_KEY ?? "";
  const path = (command: string) => `/api/v1/management/${command}`;

  async function run(command: string, flags: Record<string, unknown>, bearer = operator): Promise<ManagementLine[]> {
    const response = await worker.call(path(command), { bearer, json: { flags } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await response.text()).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as ManagementLine);
  }

  describe("authorization of management commands", () => {
    const errorOf = async (bearer?: string, harness = worker) =>
      readError(
        await harness.call(path("purge_expired_data"), {
          json: { flags: { dry_run: true } },
          ...(bearer ? { bearer } : {}),
        }),
      );

    it("accepts only the operator key, and sessions and writable tokens of staff", async () => {
      expect(await errorOf(operator)).toEqual([200, undefined]);
      expect(await errorOf(await worker.token({ isStaff: true }))).toEqual([200, undefined]);
      expect(await errorOf(await worker.token({ isStaff: true, pat: {} }))).toEqual([200, undefined]);
      expect(await errorOf()).toEqual([401, "unauthorized"]);
      expect(await errorOf(`opk_${"x".repeat(40)}`)).toEqual([401, "unauthorized"]);
      expect(await errorOf(await worker.token({ isStaff: true, pat: { readOnly: true } }))).toEqual([
        403,
        "pat_read_only",
      ]);
      expect(await errorOf(await worker.token({ companyId: 42, isOwner: true }))).toEqual([403, "forbidden"]);
      expect(await errorOf(await worker.token({ companyId: 42, pat: { agm: true } }))).toEqual([403, "forbidden"]);
    });

    it("rejects every operator key when OPERATOR_KEY is empty", async () => {
      const withoutKey = await start({ vars: { OPERATOR_KEY: "" } });
      expect(await errorOf(operator, withoutKey)).toEqual([401, "unauthorized"]);
      expect(await errorOf("opk_", withoutKey)).toEqual([401, "unauthorized"]);
    });
  });

  it("records a run with the trigger `command` and returns its id", async () => {
    const lines = await run("purge_expired_data", {});
    const last = lines.at(-1);
    expect(lines[0]).toEqual({
      type: "start",
      command: "purge_expired_data",
      run_id: last?.type === "result" && last.run_id,
    });
    expect(last).toMatchObject({
      type: "result",
      exit_code: 0,
      line: expect.stringMatching(
        /^purge_expired_data: deleted events=\d+ webhook_deliveries=0 email_events=0 scheduled_job_runs=\d+ complete=true run_id=\d+$/,
      ),
    });
    const runId = last?.type === "result" ? last.run_id : null;
    const [row] = await readRows(scheduled_job_runs, eq(scheduled_job_runs.id, runId ?? 0));
    expect(row).toMatchObject({ trigger: "command", status: "succeeded" });
  });

  it("counts rows with dry_run and records no run", async () => {
    const count = async () => (await readRows(scheduled_job_runs, undefined, desc(scheduled_job_runs.id)))[0]?.id;
    const before = await count();
    const lines = await run("purge_expired_data", { dry_run: true });
    expect(lines.map(({ type }) => type)).toEqual(["start", "result"]);
    expect(lines[1]).toMatchObject({
      line: expect.stringMatching(/^purge_expired_data: would delete events=\d+ /),
      run_id: null,
    });
    expect(await count()).toBe(before);
  });

  it.each([
    ["purge_expired_data", { batch_size: 0 }, "flags.batch_size"],
    ["purge_expired_data", { batch_size: 10_001 }, "flags.batch_size"],
    ["purge_expired_data", { max_seconds: -1 }, "flags.max_seconds"],
    ["purge_expired_data", { nonsense: 1 }, "flags.nonsense"],
    ["retry_webhooks", { batch_size: 501 }, "flags.batch_size"],
    ["retry_webhooks", { max_seconds: 0 }, "flags.max_seconds"],
    ["retry_webhooks", { max_seconds: 110.5 }, "flags.max_seconds"],
    ["retry_webhooks", { concurrency: 7 }, "flags.concurrency"],
    ["retry_webhooks", { dry_run: "yes" }, "flags.dry_run"],
  ])("rejects %s with the invalid flag %o", async (command, flags, field) => {
    const response = await worker.call(path(command), { bearer: operator, json: { flags } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ field_errors: { [field]: [expect.any(String)] } });
  });

  it("rejects unknown commands", async () => {
    for (const command of ["nonsense", "create_staff", "create_service_key"]) {
      expect(await readError(await worker.call(path(command), { bearer: operator, json: {} }))).toEqual([
        404,
        "not_found",
      ]);
    }
  });
}

import { asc, desc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log } from "../../../db/kit/audit";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import type { BackupDescription } from "../../../schemas/backup";
import type { ManagementLine } from "../../../schemas/management";
import { insertRows, readRows } from "../webhooks/rows";
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

  describe("the commands of backups", () => {
    const rowsOf = (lines: ManagementLine[]) => lines.flatMap((line) => (line.type === "rows" ? line.rows : []));
    const errorOf = async (command: string, json: object, bearer = operator) => {
      const response = await worker.call(path(command), { bearer, json });
      const lines = (await response.text()).trim().split("\n");
      return { status: response.status, ...(JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>) };
    };

    it("describe the tables that a restore fills, parents first, to the operator only", async () => {
      const [description] = rowsOf(await run("describe_backup", {})) as BackupDescription[];
      const tables = description?.tables.map(({ name }) => name) ?? [];
      expect(tables).toContain("audit_log");
      expect(tables.filter((name) => /^(?:sqlite_|scheduled_job_|d1_migrations)/.test(name))).toEqual([]);
      expect(tables.indexOf("action_deliveries")).toBeLessThan(tables.indexOf("delivery_attempts"));
      expect(description?.keys.ACTIONS_ENCRYPTION_KEY).toMatch(/^[0-9a-f]{8}$/);
      const staff = await worker.token({ isStaff: true });
      for (const command of ["describe_backup", "read_table", "list_files", "begin_restore", "write_table"])
        expect(await errorOf(command, {}, staff)).toMatchObject({ status: 403, error_code: "forbidden" });
    });

    it("read a table in pages of at most 1 MB, with exact numbers", async () => {
      const entry = { actor_kind: "operator", actor_user_id: null, company_id: 0, action: "x", target: "y" } as const;
      const at = Number.MAX_SAFE_INTEGER;
      const changes = JSON.stringify({ text: 'é"'.repeat(150_000) });
      await insertRows(
        audit_log,
        Array.from({ length: 4 }, () => ({ ...entry, at, changes })),
      );
      const [stored, rows, sizes] = [
        await readRows(audit_log, undefined, asc(audit_log.id)),
        [] as string[],
        [] as number[],
      ];
      let after: string | undefined;
      do {
        const lines = await run("read_table", { table: "audit_log", ...(after === undefined ? {} : { after }) });
        const page = rowsOf(lines) as string[];
        const last = lines.at(-1);
        after = last?.type === "result" ? last.next : undefined;
        rows.push(...page);
        sizes.push(page.length);
      } while (after !== undefined);
      expect(rows.map((row) => (JSON.parse(row) as unknown[])[0])).toEqual(stored.map(({ id }) => id));
      expect(rows.filter((row) => row.includes(`,${at},`)).map((row) => JSON.parse(row).at(-1))).toEqual(
        Array(4).fill(changes),
      );
      expect(sizes.slice(-5)).toEqual([expect.any(Number), 1, 1, 1, 0]);
    });

    it("change nothing without a restore, and refuse one while the jobs run", async () => {
      expect(await errorOf("read_table", { flags: { table: "users" } })).toMatchObject({
        line: expect.stringContaining('There is no table "users".'),
      });
      expect(await errorOf("read_table", { flags: { table: "audit_log", after: "[1, 2]" } })).toMatchObject({
        line: expect.stringContaining("flags.after (invalid)"),
      });
      expect(await errorOf("list_files", { flags: { bucket: "OTHER" } })).toMatchObject({
        line: expect.stringContaining('There is no bucket "OTHER".'),
      });
      expect(await errorOf("begin_restore", { flags: { backup: "b" } })).toMatchObject({
        line: expect.stringContaining("Set SCHEDULER_ENABLED to false first"),
      });
      const flags = { backup: "b", table: "audit_log" };
      for (const row of [1, "[1]", "{}", `[${"{},".repeat(8)}1]`])
        expect(await errorOf("write_table", { flags, rows: [row] })).toMatchObject({ type: "error" });
      const row = JSON.stringify([1, 1, "operator", null, 0, "x", "y", "{}"]);
      for (const [command, json] of [
        ["write_table", { flags, rows: [row] }],
        ["end_restore", { flags: { backup: "b", sequences: "{}" } }],
      ] as const)
        expect(await errorOf(command, json)).toMatchObject({ line: expect.stringContaining("has not begun") });
      for (const sequences of ["x", '{"users": -1}', '{"users": "1"}'])
        expect(await errorOf("end_restore", { flags: { backup: "b", sequences } })).toMatchObject({ type: "error" });
    });
  });
}

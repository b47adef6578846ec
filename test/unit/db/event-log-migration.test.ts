import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { numberOfId, timeOfId } from "../../../workers/kit/webhooks/events/event-key";

const services = ["identity", "email", "hosting"] as const;
type Row = Record<string, SQLInputValue>;

/** Opens a database without the migration that rebuilds the event log. `migrate` applies that migration. */
function openDatabaseBefore(service: (typeof services)[number]) {
  const folder = new URL(`../../../db/${service}/migrations/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  const index = files.sort().findIndex((file) => file.endsWith("_event_log.sql"));
  const database = new DatabaseSync(":memory:");
  const apply = (file: string | undefined) => database.exec(readFileSync(new URL(file ?? "", folder), "utf8"));
  files.slice(0, index).forEach(apply);
  const insert = (table: string, rows: Row[]) => {
    for (const row of rows) {
      const names = Object.keys(row);
      const placeholders = names.map(() => "?").join(", ");
      const text = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${placeholders}) ON CONFLICT DO NOTHING`;
      database.prepare(text).run(...Object.values(row));
    }
  };
  const all = (query: string) => database.prepare(query).all() as Row[];
  return { migrate: () => apply(files[index]), insert, all };
}

const time = Date.UTC(2026, 10, 1);
const event = (company_id: number | null, event_id: string, created_at: number, event_type = "x.created") => ({
  event_id,
  company_id,
  event_type,
  user_id: 7,
  data: '{"a":1}',
  actor: '{"kind":"system"}',
  envelope: `{"id":"${event_id}"}`,
  created_at,
});

describe.each(services)("event log migration of %s", (service) => {
  it("keeps the rows with their event ids under new ordered keys, and updates references to them", () => {
    const { migrate, insert, all } = openDatabaseBefore(service);
    const oldEvents = [
      event(5, "5b1f0c52-6a35-4d0f-8a55-0f3f6b0a7c11", time),
      event(5, "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", time),
      event(null, "9c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", time, "x.scheduled_job.succeeded"),
      event(5, "1c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", time - 1),
      event(6, "2c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", time),
      event(null, "3c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", time, "x.scheduled_job.failed"),
    ];
    insert("event_log", oldEvents);
    const [, , , , , failed] = all("SELECT id FROM event_log ORDER BY id");
    const run = { job: "j", trigger: "scheduler", status: "failed", started_at: time, host: "h", counts: "{}" };
    insert("scheduled_job_runs", [
      { ...run, event_log_id: failed?.id ?? null },
      { ...run, event_log_id: null },
    ]);
    insert("scheduled_job_states", [{ job: "j", created_at: time, fence: 41 }]);
    insert("scheduled_job_counters", [{ job: "j", name: "runs.failed", value: 3 }]);
    insert("action_hosts", [{ host: "a.example.com", consecutive_failures: 12, last_failure_at: time }]);
    insert("action_counters", [{ company_id: 5, name: "sent", value: 9 }]);
    const tables = ["scheduled_job_states", "scheduled_job_counters", "action_hosts", "action_counters"];
    const readUnchangedTables = () => tables.map((table) => all(`SELECT * FROM ${table} ORDER BY 1, 2`));
    const before = readUnchangedTables();
    migrate();
    const rows = all("SELECT * FROM event_log ORDER BY company_id, id");
    const companyOf = (row: Row) => Number(row.company_id ?? 0);
    const sorted = oldEvents.toSorted((a, b) => companyOf(a) - companyOf(b) || a.created_at - b.created_at);
    expect(rows).toMatchObject(sorted.map((row) => ({ ...row, company_id: companyOf(row) })));
    for (const row of rows) {
      expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8000-[0-9a-f]{12}$/);
      expect(timeOfId(String(row.id))).toBe(row.created_at);
    }
    const numbers = rows.map(({ company_id, id }) => `${company_id} ${numberOfId(String(id))}`);
    expect(new Set(numbers).size).toBe(oldEvents.length);
    const [, second] = rows;
    expect(second?.event_type).toBe("x.scheduled_job.failed");
    expect(all("SELECT event_log_id FROM scheduled_job_runs ORDER BY id").map((row) => row.event_log_id)).toEqual([
      numberOfId(String(second?.id)),
      null,
    ]);
    expect(readUnchangedTables()).toEqual(before);
    const withoutRowid = all("SELECT name FROM pragma_table_list WHERE wr = 1").map(({ name }) => name);
    expect(withoutRowid).toEqual(expect.arrayContaining(["event_log", ...tables]));
  });

  it("accepts writes of the previous release once, including platform events", () => {
    const { migrate, insert, all } = openDatabaseBefore(service);
    migrate();
    const ids = ["5b1f0c52-6a35-4d0f-8a55-0f3f6b0a7c11", "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11"] as const;
    for (let attempt = 0; attempt < 2; attempt++)
      insert("event_log", [event(5, ids[0], time), event(null, ids[1], time)]);
    const rows = all("SELECT * FROM event_log ORDER BY company_id");
    expect(rows).toMatchObject([
      { company_id: 0, event_id: ids[1] },
      { company_id: 5, event_id: ids[0] },
    ]);
    for (const { id } of rows) expect(Math.abs(timeOfId(String(id)) - Date.now())).toBeLessThan(60_000);
  });
});

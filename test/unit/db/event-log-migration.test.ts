import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { numberOfId, timeOfId } from "../../../workers/kit/webhooks/events/event-key";

const services = ["identity", "email", "hosting"] as const;
type Row = Record<string, SQLInputValue>;

/** A database with the migrations before the one that rebuilds the event log, and that one. */
function databaseBefore(service: (typeof services)[number]) {
  const folder = new URL(`../../../db/${service}/migrations/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  const at = files.sort().findIndex((file) => file.endsWith("_event_log.sql"));
  const database = new DatabaseSync(":memory:");
  const apply = (file: string | undefined) => database.exec(readFileSync(new URL(file ?? "", folder), "utf8"));
  files.slice(0, at).forEach(apply);
  const insert = (table: string, rows: Row[]) => {
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map(() => "?").join(", ");
      const text = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks}) ON CONFLICT DO NOTHING`;
      database.prepare(text).run(...Object.values(row));
    }
  };
  const all = (query: string) => database.prepare(query).all() as Row[];
  return { migrate: () => apply(files[at]), insert, all };
}

const T = Date.UTC(2026, 10, 1);
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

describe.each(services)("the event log of %s", (service) => {
  it("keeps event log rows in order with their ids under new keys, and updates references by number", () => {
    const { migrate, insert, all } = databaseBefore(service);
    const old = [
      event(5, "5b1f0c52-6a35-4d0f-8a55-0f3f6b0a7c11", T),
      event(5, "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", T),
      event(null, "9c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", T, "x.scheduled_job.succeeded"),
      event(5, "1c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", T - 1),
      event(6, "2c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", T),
      event(null, "3c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", T, "x.scheduled_job.failed"),
    ];
    insert("event_log", old);
    const [, , , , , failed] = all("SELECT id FROM event_log ORDER BY id");
    const run = { job: "j", trigger: "scheduler", status: "failed", started_at: T, host: "h", counts: "{}" };
    insert("scheduled_job_runs", [
      { ...run, event_log_id: failed?.id ?? null },
      { ...run, event_log_id: null },
    ]);
    insert("scheduled_job_states", [{ job: "j", created_at: T, fence: 41 }]);
    insert("scheduled_job_counters", [{ job: "j", name: "runs.failed", value: 3 }]);
    insert("action_hosts", [{ host: "a.example.com", consecutive_failures: 12, last_failure_at: T }]);
    insert("action_counters", [{ company_id: 5, name: "sent", value: 9 }]);
    const tables = ["scheduled_job_states", "scheduled_job_counters", "action_hosts", "action_counters"];
    const kept = () => tables.map((table) => all(`SELECT * FROM ${table} ORDER BY 1, 2`));
    const before = kept();
    migrate();
    const found = all("SELECT * FROM event_log ORDER BY company_id, id");
    const companyOf = (row: Row) => Number(row.company_id ?? 0);
    const sorted = old.toSorted((a, b) => companyOf(a) - companyOf(b) || a.created_at - b.created_at);
    expect(found).toMatchObject(sorted.map((row) => ({ ...row, company_id: companyOf(row) })));
    for (const row of found) {
      expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8000-[0-9a-f]{12}$/);
      expect(timeOfId(String(row.id))).toBe(row.created_at);
    }
    const numbers = found.map(({ company_id, id }) => `${company_id} ${numberOfId(String(id))}`);
    expect(new Set(numbers).size).toBe(old.length);
    const [, second] = found;
    expect(second?.event_type).toBe("x.scheduled_job.failed");
    expect(all("SELECT event_log_id FROM scheduled_job_runs ORDER BY id").map((row) => row.event_log_id)).toEqual([
      numberOfId(String(second?.id)),
      null,
    ]);
    expect(kept()).toEqual(before);
    const withoutRowid = all("SELECT name FROM pragma_table_list WHERE wr = 1").map(({ name }) => name);
    expect(withoutRowid).toEqual(expect.arrayContaining(["event_log", ...tables]));
  });

  it("accepts the writes of the previous code once, including platform events", () => {
    const { migrate, insert, all } = databaseBefore(service);
    migrate();
    const ids = ["5b1f0c52-6a35-4d0f-8a55-0f3f6b0a7c11", "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11"] as const;
    for (let turn = 0; turn < 2; turn++) insert("event_log", [event(5, ids[0], T), event(null, ids[1], T)]);
    const found = all("SELECT * FROM event_log ORDER BY company_id");
    expect(found).toMatchObject([
      { company_id: 0, event_id: ids[1] },
      { company_id: 5, event_id: ids[0] },
    ]);
    for (const { id } of found) expect(Math.abs(timeOfId(String(id)) - Date.now())).toBeLessThan(60_000);
  });
});

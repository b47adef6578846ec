import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BackupDescription, BackupTable } from "../../../schemas/backup.ts";
import { SERVICES } from "../../../schemas/management.ts";
import type { Cleanup } from "./project.ts";

type Rows = Record<string, unknown[][]>;
type Flags = { table?: string; company?: number; dry_run?: boolean };

const table = (name: string, columns: string[], column: string, values = {}): BackupTable => ({
  name,
  columns,
  is_derived: false,
  is_dependent: false,
  company: { rule: { column }, values },
});

/** The tables of each service. The rows of every table but the users name their company. */
const tables: Record<string, BackupTable[]> = {
  identity: [
    table("companies", ["id", "name"], "id"),
    table("users", ["id", "company", "is_staff"], "company", { is_staff: 0 }),
  ],
  email: [table("templates", ["id", "company_id"], "company_id")],
  hosting: [table("hosting_apps", ["id", "company_id"], "company_id")],
  storage: [],
};

/**
 * Starts a double of the management calls of all services: backups of their rows, and restores into them. `calls` has all calls, `changes` those
 * that change rows. A service in `refusals` refuses the restore with that message; `keys` are the fingerprints of its secrets.
 */
export async function startBackupServices({ onTestFinished }: Cleanup, rows: Rows = {}) {
  const changes: string[] = [];
  const calls: string[] = [];
  const refusals: Record<string, string> = {};
  const keys: Record<string, string> = { SECRET_KEY: "0a1b2c3d" };
  const run = (service: string, command: string, { table: name = "", company, dry_run }: Flags, sent: string[]) => {
    calls.push(command);
    const found = tables[service]?.find((candidate) => candidate.name === name);
    if (command === "describe_backup") {
      const described: BackupDescription = {
        schema: "s1",
        tables: tables[service] ?? [],
        sequences: [],
        keys,
        buckets: [],
      };
      return [described];
    }
    if (command === "read_table") {
      const rule = found?.company?.rule;
      const index = rule !== undefined && "column" in rule ? (found?.columns.indexOf(rule.column) ?? 0) : 0;
      const stored = (rows[`${service}.${name}`] ?? []).filter(
        (row) => company === undefined || row[index] === company,
      );
      return stored.map((row) => JSON.stringify(row));
    }
    const refusal = refusals[service];
    if (command === "begin_restore" && refusal !== undefined)
      throw new Error(`CommandError: begin_restore failed: CommandRefusal: ${refusal} (run_id=-)`);
    if (dry_run === true) return [];
    changes.push(`${service} ${command}${name === "" ? "" : ` ${name}`}`);
    if (command === "write_table") rows[`${service}.${name}`] = sent.map((row) => JSON.parse(row) as unknown[]);
    return [];
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const [, service = "", , , , command = ""] = request.url?.split("/") ?? [];
    const { flags, rows: sent = [] } = JSON.parse(text) as { flags: Flags; rows?: string[] };
    try {
      const result = { type: "result", exit_code: 0, line: "", run_id: null, counts: {} };
      response.write(`${JSON.stringify({ type: "rows", rows: run(service, command, flags, sent) })}\n`);
      response.end(`${JSON.stringify(result)}\n`);
    } catch (error) {
      response.end(
        `${JSON.stringify({ type: "error", exit_code: 1, line: (error as Error).message, run_id: null })}\n`,
      );
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const env = Object.fromEntries(SERVICES.map((name) => [`PLATFORM_${name.toUpperCase()}_OPERATOR_KEY`, "opk_x"]));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env,
    rows,
    calls,
    changes,
    refusals,
    keys,
  };
}

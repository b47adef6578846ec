import { seedStatements } from "../../support/databases/seed.ts";
import { joinStatements } from "../../support/databases/statements.ts";
import { type Service, services } from "../../support/services.ts";
import type { Run, Step } from "../run.ts";

type Result<Row> = { results: Row[]; success: boolean };

/** Runs SQL in the database of a service. Returns the rows of the last statement. */
export async function query<Row = unknown>(
  { api, record }: Pick<Run, "api" | "record">,
  service: Service,
  sql: string,
): Promise<Row[]> {
  const id = record.databases[service];
  const results = await api.call<Result<Row>[]>("POST", `/accounts/${record.account}/d1/database/${id}/query`, {
    json: { sql },
  });
  return results.at(-1)?.results ?? [];
}

// The table in which `wrangler d1 migrations apply` records the migrations, so that both can be used.
const createTable = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
SELECT name FROM "d1_migrations" ORDER BY id;`;

/** Returns the names of the applied migrations of a service, in order. */
export async function appliedMigrations(run: Run, service: Service): Promise<string[]> {
  return (await query<{ name: string }>(run, service, createTable)).map(({ name }) => name);
}

/** Applies the migrations of a service that the database lacks. D1 runs the statements of one call in a transaction. */
async function migrate(run: Run, service: Service): Promise<void> {
  const applied = new Set(await appliedMigrations(run, service));
  const pending = run.release.migrations[service].filter(({ name }) => !applied.has(name));
  for (const { name, sql } of pending) {
    const record = `INSERT INTO "d1_migrations" (name) VALUES ('${name.replaceAll("'", "''")}');`;
    try {
      await query(run, service, `${sql}\n${record}`);
    } catch (error) {
      // The response of an earlier attempt may have been lost.
      if (!(await appliedMigrations(run, service)).includes(name)) throw error;
    }
  }
  const [first, last] = [pending.at(0)?.name, pending.at(-1)?.name];
  if (first !== undefined)
    run.say(`  ${service}: ${first === last ? first : `${pending.length}, ${first} to ${last}`}`);
}

export const migrateDatabases: Step = {
  title: "migrations",
  run: async (run) => {
    for (const service of services) await migrate(run, service);
  },
};

/** The version that the last statement of the library inserts. */
const versionPattern = /'([0-9a-f]{64})'/;

export const loadLibrary: Step = {
  title: "mail library",
  run: async (run) => {
    const version = versionPattern.exec(run.release.library.at(-1) ?? "")?.[1];
    if (version !== undefined) {
      const rows = await query<{ n: number }>(
        run,
        "email",
        `SELECT count(*) AS n FROM library_versions WHERE version = '${version}';`,
      );
      if ((rows[0]?.n ?? 0) > 0) return;
    }
    for (const sql of run.release.library) await query(run, "email", sql);
  },
};

/** Returns the address part of an email address in lower case. */
const normalize = (email: string): string => email.trim().toLowerCase();

/**
 * Stores the first company with its owner and a staff account. Does nothing if company 1 has members, because people whom an
 * owner has removed since must not come back.
 */
export const storeFirstRows: Step = {
  title: "first company",
  run: async (run) => {
    const { company, origin } = run.record;
    const [owner, staff] = [normalize(run.record.owner), normalize(run.record.staff)];
    const members = await query(run, "identity", "SELECT 1 FROM memberships WHERE company_id = 1 LIMIT 1;");
    if (members.length > 0) return;
    const slug = company
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60);
    const people = [...new Set([owner, staff])];
    const seed = await seedStatements({
      serviceKeys: {},
      company: { name: company, slug: slug || "company" },
      users: people.map((email) => ({ email, firstName: "", isOwner: email === owner, isStaff: email === staff })),
      hostsApps: run.record.apps !== null,
      origins: [origin],
    });
    for (const service of services) {
      for (const sql of joinStatements(seed[service])) await query(run, service, sql);
    }
  },
};

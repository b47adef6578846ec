import type { BackupDescription, CompanyRule, ExportedValues, StoredFile } from "../../../schemas/backup";
import type { CommandSpec } from "../../../schemas/management/command-spec";
import { bytesToHex, utf8ToBytes } from "../crypto/encoding";
import { sha256 } from "../crypto/hash";
import type { Databases } from "../db/db";
import type { JobSettings } from "../jobs/settings";
import type { FlagValues } from "../management/flags";
import type { ManagementCommand } from "../management/mount";
import { CommandRefusal, type CommandResult, type CommandStream } from "../management/stream";
import { invalid } from "../problem";
import { beginRestore, checkRestore, clearRows, endRestore, writeRows } from "./restore";
import { describeTables, type TableOrder } from "./tables";
import { type CompanyScope, listSequences, readPage, type StoredTable } from "./tables.store";

/** What a service adds to the commands of backups. */
export type BackupPlan<Services> = TableOrder & {
  /** tables that stay empty until somebody works with the service: a restore needs them empty */
  unused: readonly string[];
  /** the rows of one company, for tables without the column `company_id` */
  ofCompany: Readonly<Record<string, CompanyRule>>;
  /** tables that the export of one company leaves out */
  notExported?: readonly string[];
  /** by table: values of the export of one company that replace the stored ones */
  exportedValues?: (companyId: number) => Readonly<Record<string, ExportedValues>>;
  /** tables with rows of the platform that every deployment has, which the restore of one company keeps */
  shared: readonly string[];
  /** the secrets without which stored values cannot be opened, by the name of their setting */
  secrets: (services: Services) => Readonly<Record<string, string | Uint8Array>>;
  /** the buckets, by the name of their binding */
  buckets: (services: Services) => Readonly<Record<string, R2Bucket>>;
};

type Run<Services> = (
  services: Services,
  flags: FlagValues,
  stream: CommandStream,
  rows: readonly unknown[],
) => Promise<CommandResult>;

const result = (summary: string, counts: CommandResult["counts"], next: string | null = null): CommandResult => ({
  summary,
  counts,
  runId: null,
  ...(next === null ? {} : { next }),
});

/**
 * Returns the commands with which `platform backup` reads a service and `platform restore` fills an empty one. Tables are read in
 * pages by their keys, because D1 exports no database with full-text tables.
 */
export function backupCommands<
  Services extends Databases & { settings: { jobs: Pick<JobSettings, "schedulerEnabled"> } },
>(specs: readonly CommandSpec[], plan: BackupPlan<Services>): ManagementCommand<Services>[] {
  const findTable = async (services: Services, name: unknown): Promise<StoredTable> => {
    const { tables } = await describeTables(services, plan);
    const table = tables.find((candidate) => candidate.name === name);
    if (table === undefined) throw new CommandRefusal(`There is no table "${String(name)}".`);
    return table;
  };
  // The totals of one company are counted again by the triggers, together with those of the platform.
  const ruleOf = ({ name, columns }: StoredTable): CompanyRule | undefined => {
    if (plan.derived.includes(name) || plan.notExported?.includes(name)) return undefined;
    return columns.includes("company_id") ? { column: "company_id" } : { ...ofCompany, ...plan.ofCompany }[name];
  };
  const scopeOf = (table: StoredTable, companyId: number): CompanyScope => {
    const rule = ruleOf(table);
    if (rule === undefined) throw new CommandRefusal(`The table "${table.name}" has no rows of companies.`);
    return { companyId, rule, values: plan.exportedValues?.(companyId)[table.name] ?? {} };
  };
  const runs: Record<string, Run<Services>> = {
    describe_backup: async (services, { company }, stream) => {
      const { tables: all, schema } = await describeTables(services, plan);
      const tables = company === undefined ? all : all.filter((table) => ruleOf(table) !== undefined);
      const sequences = await services.platformDb.all(listSequences());
      const description: BackupDescription = {
        schema,
        tables: tables.map((table) => {
          const { name, columns, foreignKeys } = table;
          const [is_derived, is_dependent] = [plan.derived.includes(name), foreignKeys.length > 0];
          if (company === undefined) return { name, columns, is_derived, is_dependent };
          const { rule, values } = scopeOf(table, Number(company));
          return { name, columns, is_derived, is_dependent, company: { rule, values } };
        }),
        sequences,
        keys: await fingerprintsOf(plan.secrets(services)),
        buckets: Object.keys(plan.buckets(services)),
      };
      await stream.writeRows([description]);
      return result(`tables=${tables.length}`, { tables: tables.length });
    },
    read_table: async (services, { table: name, after, company }, stream) => {
      const table = await findTable(services, name);
      const scope = company === undefined ? null : scopeOf(table, Number(company));
      const page = await services.platformDb.all(readPage(table, readKey(table, after), scope));
      await stream.writeRows(page.map(({ row }) => row));
      return result(`rows=${page.length}`, { rows: page.length }, page.at(-1)?.key ?? null);
    },
    list_files: async (services, { bucket: name, after }, stream) => {
      const bucket = plan.buckets(services)[String(name)];
      if (bucket === undefined) throw new CommandRefusal(`There is no bucket "${String(name)}".`);
      const page = await bucket.list(after === undefined ? {} : { cursor: String(after) });
      const files = page.objects.map(({ key, size, etag }): StoredFile => [key, size, etag]);
      await stream.writeRows(files);
      return result(`files=${files.length}`, { files: files.length }, page.truncated ? page.cursor : null);
    },
    begin_restore: async (services, { backup, company, dry_run }) => {
      if (services.settings.jobs.schedulerEnabled) {
        throw new CommandRefusal(
          "Set SCHEDULER_ENABLED to false first: the jobs would send mails and webhooks of the backup, and change its rows.",
        );
      }
      if (await checkRestore(services, String(backup), plan.unused)) return result("begun=true", { begun: true });
      if (dry_run === true) return result("begun=false", { begun: false });
      const { tables } = await describeTables(services, plan);
      const kept = company === undefined ? [] : plan.shared;
      const cleared = tables.filter(({ name }) => !kept.includes(name));
      await beginRestore(services, String(backup), cleared);
      return result(`tables=${tables.length}`, { tables: tables.length });
    },
    clear_table: async (services, { backup, table: name }) => {
      const table = await findTable(services, name);
      if (!plan.derived.includes(table.name))
        throw new CommandRefusal(`Only these are cleared: ${plan.derived.join(", ")}.`);
      await clearRows(services, String(backup), table);
      return result("cleared=true", { cleared: true });
    },
    write_table: async (services, { backup, table: name }, _stream, rows) => {
      const table = await findTable(services, name);
      const written = await writeRows(services, String(backup), table, readRowTexts(table, rows));
      return result(`rows=${rows.length} written=${written}`, { rows: rows.length, written });
    },
    end_restore: async (services, { backup, sequences }) => {
      await endRestore(services, String(backup), readSequences(String(sequences)));
      return result("ended=true", { ended: true });
    },
  };
  return specs.flatMap((spec) => {
    const run = runs[spec.name];
    return run === undefined
      ? []
      : [{ spec, run: (services, flags, stream, _caller, rows) => run(services, flags, stream, rows) }];
  });
}

/** Tables of every service whose rows belong to companies by another table. */
const ofCompany: Readonly<Record<string, CompanyRule>> = {
  delivery_attempts: { column: "delivery_seq", in: { table: "action_deliveries", column: "seq" } },
};

/** Returns the first 8 hex characters of the SHA-256 of each secret, which tell keys apart and reveal nothing of them. */
async function fingerprintsOf(secrets: Readonly<Record<string, string | Uint8Array>>): Promise<Record<string, string>> {
  const entries = Object.entries(secrets).map(async ([name, secret]) => {
    const bytes = typeof secret === "string" ? utf8ToBytes(secret) : secret;
    return [name, bytesToHex(await sha256(bytes)).slice(0, 8)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Returns the key after which a page begins, or null for the first page. Throws 400 `flags.after`. */
function readKey({ key }: StoredTable, after: unknown): string | null {
  if (after === undefined) return null;
  const text = String(after);
  if (!isArrayText(text, key.length)) throw invalid({ "flags.after": ["invalid"] });
  return text;
}

/** Returns rows as JSON texts. Throws 400 `rows.{index}`. */
function readRowTexts({ columns }: StoredTable, rows: readonly unknown[]): string[] {
  return rows.map((row, index) => {
    if (typeof row === "string" && isArrayText(row, columns.length)) return row;
    throw invalid({ [`rows.${index}`]: ["invalid"] });
  });
}

/** Returns whether a text is a JSON array of `length` texts, numbers and nulls. */
function isArrayText(text: string, length: number): boolean {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.length === length && values.every(isStorable);
  } catch {
    return false;
  }
}

const isStorable = (value: unknown) => value === null || typeof value === "string" || typeof value === "number";

/** Reads `{"table": highest id}`. Throws 400 `flags.sequences`. */
function readSequences(text: string): { name: string; seq: number }[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid({ "flags.sequences": ["invalid"] });
  }
  const entries = Object.entries(Object(value) as Record<string, unknown>);
  return entries.map(([name, seq]) => {
    if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0)
      throw invalid({ "flags.sequences": ["invalid"] });
    return { name, seq };
  });
}

import { writeFile } from "node:fs/promises";
import type { BackupDescription, StoredFile } from "../../schemas/backup.ts";
import { type Output, printStep } from "../commands/output.ts";
import { TargetError } from "../target.ts";
import { BackupError, type BackupLine, isEncrypted, type Key, readArchive, readIdentity } from "./archive.ts";
import { requireRowsOfCompany } from "./company.ts";
import {
  type BackupService,
  callService,
  createRowHash,
  describeService,
  findServices,
  listFiles,
  type OperatorKeys,
  operatorKeysOf,
  readTable,
} from "./services.ts";

export type RestoreOptions = {
  /** the address below which the services are reached; default: each by its own setting */
  url?: string | undefined;
  /** file with the age identity; default: the passphrase of PLATFORM_BACKUP_PASSPHRASE */
  identity?: string | undefined;
  /** writes only the secrets of the backup to this file, for the deployment that will be restored */
  secretsTo?: string | undefined;
  /** the company of an export; a file of all companies is refused with it, and an export without it */
  company?: number | undefined;
};

type Header = Extract<BackupLine, { type: "backup" }>;
type TableEnd = Extract<BackupLine, { type: "table" }>;

/**
 * `platform restore`: fills an empty deployment with the rows of a backup, and compares counts and hashes. It can be repeated after an
 * interruption. Returns the exit code.
 */
export async function runRestore(
  path: string,
  options: RestoreOptions,
  output: Output,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  try {
    const key = (await isEncrypted(path)) ? await keyOf(options, env) : null;
    if (options.secretsTo !== undefined) return await writeSecrets(path, key, options.secretsTo, output);
    const { header, tables, keys } = await checkArchive(path, key);
    requireCompany(header, options.company);
    const services = await findServices(options.url, env, keys);
    const described = await requireSameDeployment(header, services);
    if (header.company_id !== null) await requireRowsOfCompany(readArchive(path, key), header.company_id, described);
    const begin = { backup: header.id, ...(header.company_id === null ? {} : { company: header.company_id }) };
    // Each service can refuse, so all are asked before the first one is changed.
    for (const service of services) await callService(service, "begin_restore", { ...begin, dry_run: true });
    for (const service of services) await callService(service, "begin_restore", begin);
    await writeRows(path, key, header, services, output);
    await verifyTables(header, tables, services, output);
    const missing = await findMissingFiles(path, key, services);
    for (const service of services) {
      const { sequences = [] } = header.services[service.service] ?? {};
      const ids = Object.fromEntries(sequences.map(({ name, seq }) => [name, seq]));
      await callService(service, "end_restore", { backup: header.id, sequences: JSON.stringify(ids) });
    }
    for (const text of missing) output.err(text);
    output.out(`Restored the backup of ${header.created_at}.`);
    return missing.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BackupError || error instanceof TargetError)) throw error;
    output.err(`error ${error.message}`);
    return 1;
  }
}

async function keyOf({ identity }: RestoreOptions, env: NodeJS.ProcessEnv): Promise<Key> {
  if (identity !== undefined) return readIdentity(identity);
  const passphrase = env.PLATFORM_BACKUP_PASSPHRASE ?? "";
  if (passphrase !== "") return { passphrase };
  throw new BackupError(
    "key-missing: Name the file with the age identity with --identity, or set PLATFORM_BACKUP_PASSPHRASE.",
  );
}

async function writeSecrets(path: string, key: Key | null, target: string, output: Output): Promise<number> {
  const files: Record<string, unknown> = {};
  for await (const line of readArchive(path, key)) if (line.type === "secrets") files[line.name] = line.text;
  const [text, ...others] = Object.values(files);
  if (text === undefined) throw new BackupError("secrets-missing: The backup has no secrets.");
  const content = others.length === 0 ? String(text) : `${JSON.stringify(files, null, 2)}\n`;
  await writeFile(target, content, { mode: 0o600, flag: "wx" }).catch((error: Error) => {
    throw new BackupError(`secrets-not-written: ${error.message}`);
  });
  output.out(target);
  return 0;
}

type CheckedArchive = { header: Header; tables: TableEnd[]; keys: OperatorKeys };

/** Reads the whole backup and compares its rows with its hashes. Returns its header, the ends of its tables and its operator keys. */
async function checkArchive(path: string, key: Key | null): Promise<CheckedArchive> {
  const keys: OperatorKeys = {};
  let header: Header | undefined;
  const tables: TableEnd[] = [];
  let hash = createRowHash();
  let current: string | undefined;
  for await (const line of readArchive(path, key)) {
    if (line.type === "backup") header = line;
    if (line.type === "secrets") Object.assign(keys, operatorKeysOf(line.text));
    if (line.type === "rows") hash.add(line.rows);
    if (line.type !== "rows" && line.type !== "table") continue;
    const name = `${line.service}.${line.table}`;
    if (name !== (current ?? name)) throw new BackupError(`backup-damaged: The rows of ${current} have no end.`);
    current = name;
    if (line.type === "rows") continue;
    const { rows, sha256 } = hash.end();
    if (sha256 !== line.sha256 || rows !== line.rows)
      throw new BackupError(`backup-damaged: The rows of ${name} are not those of the backup.`);
    tables.push(line);
    hash = createRowHash();
    current = undefined;
  }
  if (header === undefined) throw new BackupError(`backup-unknown: ${path} is empty.`);
  requireTables(header, tables);
  return { header, tables, keys };
}

/** Throws a BackupError unless the file has the rows of each table that its header names. */
function requireTables({ services }: Header, ends: readonly TableEnd[]): void {
  const named = Object.entries(services).flatMap(([service, { tables }]) =>
    tables.map(({ name }) => `${service}.${name}`),
  );
  const found = ends.map(({ service, table }) => `${service}.${table}`);
  const missing = named.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new BackupError(`backup-damaged: The backup lacks ${missing.join(", ")}.`);
  const others = found.filter((name, index) => !named.includes(name) || found.indexOf(name) !== index);
  if (others.length > 0)
    throw new BackupError(`backup-damaged: The backup has unexpected rows of ${others.join(", ")}.`);
}

/**
 * Throws a BackupError unless the caller named the company of the file, or none for a file of all companies. Otherwise a company
 * whose export is restored could name all companies in its file, and bring rows of the platform.
 */
function requireCompany({ company_id: saved }: Header, company: number | undefined): void {
  if (saved === null && company !== undefined)
    throw new BackupError("company-differs: The backup has all companies. Leave --company out.");
  if (saved !== null && company === undefined)
    throw new BackupError(`company-missing: The file has only company ${saved}. Add --company ${saved}.`);
  if (saved !== null && saved !== company)
    throw new BackupError(`company-differs: The file has company ${saved}, not ${company}.`);
}

/** Returns what the services have. Throws a BackupError unless these are the tables and the secrets of the backup. */
async function requireSameDeployment(
  header: Header,
  services: readonly BackupService[],
): Promise<Map<string, BackupDescription>> {
  const described = new Map<string, BackupDescription>();
  for (const service of services) {
    const name = service.service;
    const saved = header.services[name];
    if (saved === undefined) throw new BackupError(`backup-unknown: The backup has no rows of ${name}.`);
    const description = await describeService(service, header.company_id);
    const { schema, keys } = description;
    described.set(name, description);
    if (schema !== saved.schema) {
      throw new BackupError(
        `release-differs: The tables of ${name} are those of another release. Deploy the release of the backup, restore, and upgrade.`,
      );
    }
    const different = Object.keys(saved.keys).filter((setting) => keys[setting] !== saved.keys[setting]);
    if (different.length > 0) {
      throw new BackupError(
        `secrets-differ: ${name} has other values of ${different.join(", ")}. Write those of the backup with --secrets-to, and deploy them.`,
      );
    }
  }
  return described;
}

async function writeRows(
  path: string,
  key: Key | null,
  { id: backup, services: described }: Header,
  services: readonly BackupService[],
  output: Output,
): Promise<void> {
  const byName = new Map(services.map((service) => [service.service as string, service]));
  const begun = new Set<string>();
  let startedAt = performance.now();
  for await (const line of readArchive(path, key)) {
    if (line.type !== "rows" && line.type !== "table") continue;
    const service = byName.get(line.service);
    if (service === undefined) throw new BackupError(`backup-unknown: There is no service ${line.service}.`);
    const { table } = line;
    const isFirst = !begun.has(`${line.service}.${table}`);
    begun.add(`${line.service}.${table}`);
    const { tables = [] } = described[line.service] ?? {};
    if (isFirst && tables.find(({ name }) => name === table)?.is_derived === true)
      await callService(service, "clear_table", { backup, table });
    if (line.type === "rows") await callService(service, "write_table", { backup, table }, line.rows);
    else if (table === tables.at(-1)?.name) {
      printStep(output, `${line.service}: rows written`, performance.now() - startedAt);
      startedAt = performance.now();
    }
  }
}

/** Reads the tables again and compares counts and hashes. Throws a BackupError that names those that differ. */
async function verifyTables(
  header: Header,
  tables: readonly TableEnd[],
  services: readonly BackupService[],
  output: Output,
): Promise<void> {
  const startedAt = performance.now();
  const different: string[] = [];
  for (const { service: name, table, rows, sha256 } of tables) {
    const service = services.find((candidate) => candidate.service === name);
    if (service === undefined) continue;
    const hash = createRowHash();
    for await (const page of readTable(service, table, header.company_id)) hash.add(page);
    const restored = hash.end();
    if (restored.sha256 === sha256) continue;
    const found = `${name}.${table} (${restored.rows} of ${rows} rows)`;
    const saved = header.services[name]?.tables.find((candidate) => candidate.name === table);
    if (saved?.is_dependent === true && restored.rows < rows)
      output.err(`${found}: the rows to which the others belong were deleted while the backup was written.`);
    else different.push(found);
  }
  if (different.length > 0) {
    throw new BackupError(
      `rows-differ: ${different.join(", ")}. Requests or jobs changed them meanwhile: empty the databases and restore again.`,
    );
  }
  printStep(output, `${tables.length} tables have the counts and hashes of the backup`, performance.now() - startedAt);
}

const MAX_NAMED = 20;

/** Returns a line for each listed object that the buckets of the services lack or have otherwise. */
async function findMissingFiles(path: string, key: Key | null, services: readonly BackupService[]): Promise<string[]> {
  const expected = new Map<string, Map<string, StoredFile>>();
  for await (const line of readArchive(path, key)) {
    if (line.type !== "files") continue;
    const name = `${line.service} ${line.bucket}`;
    const files = expected.get(name) ?? new Map<string, StoredFile>();
    for (const file of line.files) files.set(file[0], file);
    expected.set(name, files);
  }
  const lines: string[] = [];
  for (const [name, files] of expected) {
    const [serviceName, bucket = ""] = name.split(" ");
    const service = services.find((candidate) => candidate.service === serviceName);
    if (service === undefined) continue;
    for await (const page of listFiles(service, bucket)) {
      for (const [fileKey, size, etag] of page) {
        const [, savedSize, savedEtag] = files.get(fileKey) ?? [];
        if (savedSize === size && savedEtag === etag) files.delete(fileKey);
      }
    }
    const keys = [...files.keys()];
    const more = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : "";
    if (keys.length > 0)
      lines.push(`files-missing: ${serviceName}: ${bucket}: ${keys.slice(0, MAX_NAMED).join(", ")}${more}`);
  }
  return lines;
}

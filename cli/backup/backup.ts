import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { BackupDescription } from "../../schemas/backup.ts";
import { type Output, printStep } from "../commands/output.ts";
import { TargetError } from "../target.ts";
import { BackupError, type BackupLine, type Lock, writeArchive } from "./archive.ts";
import {
  type BackupService,
  createRowHash,
  describeService,
  findServices,
  listFiles,
  operatorKeysOf,
  readTable,
} from "./services.ts";

export type BackupOptions = {
  /** the address below which the services are reached; default: each by its own setting */
  url?: string | undefined;
  recipients: readonly string[];
  /** files with the secrets of the deployment */
  secrets: readonly string[];
  withoutSecrets: boolean;
  /** only this company, without secrets; not encrypted unless there is a recipient or a passphrase */
  company?: number | undefined;
};

/**
 * `platform backup`: writes the rows of all services, the lists of their objects and the secrets of the deployment to one encrypted
 * file. Returns the exit code.
 */
export async function runBackup(
  path: string,
  options: BackupOptions,
  output: Output,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  try {
    const isOfCompany = options.company !== undefined;
    const lock = lockOf(options, env);
    if (isOfCompany && options.secrets.length > 0)
      throw new BackupError("secrets-refused: The secrets belong to all companies. Leave --secrets out.");
    if (!isOfCompany && options.secrets.length === 0 && !options.withoutSecrets) {
      throw new BackupError(
        "secrets-missing: Name the files with the secrets of the deployment with --secrets, or add --without-secrets.",
      );
    }
    const secrets = await readSecrets(options.secrets);
    const keys = secrets.map(({ text }) => operatorKeysOf(text));
    const services = await findServices(options.url, env, Object.assign({}, ...keys));
    await writeArchive(path, lock, linesOf(services, secrets, options.company ?? null, output));
    if (!isOfCompany && options.secrets.length === 0) output.err(withoutSecretsText);
    output.out(path);
    return 0;
  } catch (error) {
    if (!(error instanceof BackupError || error instanceof TargetError)) throw error;
    output.err(`error ${error.message}`);
    return 1;
  }
}

const withoutSecretsText =
  "The backup has no secrets. Without those of this deployment, a restored one opens no sealed value (waiting mails, mail " +
  "providers, webhook secrets, sign-in providers), accepts no session or personal access token, and finds no suppressed address.";

/** Returns how to encrypt the file; null for a company that is exported as readable text. */
function lockOf({ recipients, company }: BackupOptions, env: NodeJS.ProcessEnv): Lock | null {
  const passphrase = env.PLATFORM_BACKUP_PASSPHRASE ?? "";
  if (recipients.length > 0) return { recipients };
  if (passphrase !== "") return { passphrase };
  if (company !== undefined) return null;
  throw new BackupError(
    "key-missing: Name the age key of the owner of the backup with --recipient age1…, or set PLATFORM_BACKUP_PASSPHRASE.",
  );
}

async function* linesOf(
  services: readonly BackupService[],
  secrets: readonly SecretsFile[],
  company: number | null,
  output: Output,
): AsyncGenerator<BackupLine> {
  if (company !== null) await requireCompany(services, company);
  const described = await Promise.all(
    services.map(async (service) => ({ service, description: await describeService(service, company) })),
  );
  yield {
    type: "backup",
    version: 1,
    id: randomUUID(),
    created_at: new Date().toISOString(),
    company_id: company,
    services: Object.fromEntries(described.map(({ service, description }) => [service.service, description])),
  };
  for (const file of secrets) yield { type: "secrets", ...file };
  for (const { service, description } of described) yield* linesOfService(service, description, company, output);
}

/** Throws a BackupError when the company does not exist. Rows of a company that was deleted are not exported. */
async function requireCompany(services: readonly BackupService[], company: number): Promise<void> {
  const identity = services.find(({ service }) => service === "identity");
  if (identity === undefined) throw new TypeError("identity is missing");
  for await (const _page of readTable(identity, "companies", company)) return;
  throw new BackupError(`company-unknown: There is no company ${company}.`);
}

type SecretsFile = { name: string; text: string };

async function readSecrets(paths: readonly string[]): Promise<SecretsFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, "utf8").catch((error: Error) => {
        throw new BackupError(`secrets-not-readable: ${error.message}`);
      });
      return { name: basename(path), text };
    }),
  );
}

async function* linesOfService(
  service: BackupService,
  { tables, buckets }: BackupDescription,
  company: number | null,
  output: Output,
): AsyncGenerator<BackupLine> {
  const startedAt = performance.now();
  const name = service.service;
  let [rowCount, fileCount] = [0, 0];
  for (const { name: table } of tables) {
    const hash = createRowHash();
    for await (const rows of readTable(service, table, company)) {
      hash.add(rows);
      yield { type: "rows", service: name, table, rows };
    }
    const end = hash.end();
    rowCount += end.rows;
    yield { type: "table", service: name, table, ...end };
  }
  // The keys of objects do not all name their company.
  for (const bucket of company === null ? buckets : []) {
    for await (const files of listFiles(service, bucket)) {
      fileCount += files.length;
      yield { type: "files", service: name, bucket, files };
    }
  }
  const text = `${name}: ${tables.length} tables, ${rowCount} rows${buckets.length === 0 || company !== null ? "" : `, ${fileCount} files listed`}`;
  printStep(output, text, performance.now() - startedAt);
}

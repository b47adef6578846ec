import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { BackupDescription, StoredFile } from "../../schemas/backup.ts";
import type { CommandSpec } from "../../schemas/management/command-spec.ts";
import { managementCommands, SERVICES, type Service } from "../../schemas/management.ts";
import { callManagement } from "../management-call.ts";
import { findTarget, type Target, TargetError } from "../target.ts";
import { BackupError } from "./archive.ts";

/** A service and how to call it. */
export type BackupService = { service: Service; target: Target };

type InternalCommand =
  | "describe_backup"
  | "read_table"
  | "list_files"
  | "begin_restore"
  | "clear_table"
  | "write_table"
  | "end_restore";

const MAX_TRIES = 5;

/** The operator keys of the services, each of which has its own. */
export type OperatorKeys = Partial<Record<Service, string>>;

/** Reads the operator keys in a copy of the secrets, as `npm run deploy -- --secrets-file` writes it. Other files have none. */
export function operatorKeysOf(secrets: string): OperatorKeys {
  try {
    const copy = JSON.parse(secrets) as Partial<Record<Service, { OPERATOR_KEY?: string }>>;
    return Object.fromEntries(
      SERVICES.flatMap((service) => {
        const key = copy[service]?.OPERATOR_KEY;
        return typeof key === "string" ? [[service, key]] : [];
      }),
    );
  } catch {
    return {};
  }
}

/**
 * Returns all services. `url` is the address below which the paths `/identity`, `/email` and so on lead to them. The operator key of a
 * service is PLATFORM_<SERVICE>_OPERATOR_KEY, else PLATFORM_OPERATOR_KEY, else that of `keys`.
 */
export async function findServices(
  url: string | undefined,
  env: NodeJS.ProcessEnv,
  keys: OperatorKeys,
): Promise<BackupService[]> {
  return Promise.all(
    SERVICES.map(async (service) => {
      const key = env[`PLATFORM_${service.toUpperCase()}_OPERATOR_KEY`] ?? env.PLATFORM_OPERATOR_KEY ?? keys[service];
      const address = url === undefined ? undefined : `${url.replace(/\/$/, "")}/${service}`;
      const target = await findTarget(service, address, { ...env, PLATFORM_OPERATOR_KEY: key }).catch((error) => {
        if (!(error instanceof TargetError) || error.isUsage) throw error;
        const name = `PLATFORM_${service.toUpperCase()}_OPERATOR_KEY`;
        throw new BackupError(`operator-key-missing: Set ${name}, or name the copy of the secrets with --secrets.`);
      });
      return { service, target };
    }),
  );
}

/** Runs a command of a service and repeats it after temporary failures. Returns its rows and where it continues. */
export async function callService<Row>(
  { service, target }: BackupService,
  command: InternalCommand,
  flags: Record<string, unknown>,
  rows?: readonly unknown[],
): Promise<{ rows: Row[]; next: string | null }> {
  const spec = (managementCommands[service] as readonly CommandSpec[]).find(({ name }) => name === command);
  if (spec === undefined) throw new Error(`unknown command ${command}`);
  for (let tries = 1; ; tries += 1) {
    const received: Row[] = [];
    const end = await callManagement(target, spec, flags, {
      ...(rows === undefined ? {} : { rows }),
      onRows: (page) => {
        received.push(...(page as Row[]));
      },
    });
    if (end.kind === "result") return { rows: received, next: end.next };
    if (end.kind === "failed" && end.isUnauthorized) {
      throw new BackupError(
        `operator-key-refused: ${service} has another operator key. Set PLATFORM_${service.toUpperCase()}_OPERATOR_KEY to it; before a restore, deploy the secrets of the backup instead.`,
      );
    }
    if (end.kind === "usage" || !end.isTemporary || tries === MAX_TRIES)
      throw new BackupError(`service-failed: ${service}: ${causeOf(end.line)}`);
    await wait((end.retryAfterSeconds ?? tries) * 1000);
  }
}

/** Returns the message in the line of a failed command, which names the command, the class of the error and the run. */
const causeOf = (line: string): string =>
  /^CommandError: \w+ failed: (?:CommandRefusal: )?(.*) \(run_id=[^)]*\)$/s.exec(line)?.[1] ?? line;

/** Returns what a backup of a service, or of one company in it, consists of. */
export async function describeService(service: BackupService, company: number | null): Promise<BackupDescription> {
  const flags = company === null ? {} : { company };
  const [description] = (await callService<BackupDescription>(service, "describe_backup", flags)).rows;
  if (description === undefined) throw new BackupError(`service-failed: ${service.service} describes no backup.`);
  return description;
}

/** Reads the rows of a table, or those of one company, in pages and in the order of their keys. */
export async function* readTable(
  service: BackupService,
  table: string,
  company: number | null,
): AsyncGenerator<string[]> {
  let after: string | null = null;
  do {
    const page: { rows: string[]; next: string | null } = await callService<string>(service, "read_table", {
      table,
      ...(company === null ? {} : { company }),
      ...(after === null ? {} : { after }),
    });
    if (page.rows.length > 0) yield page.rows;
    after = page.next;
  } while (after !== null);
}

/** Lists the objects of a bucket in pages. */
export async function* listFiles(service: BackupService, bucket: string): AsyncGenerator<StoredFile[]> {
  let after: string | null = null;
  do {
    const page: { rows: StoredFile[]; next: string | null } = await callService<StoredFile>(service, "list_files", {
      bucket,
      ...(after === null ? {} : { after }),
    });
    if (page.rows.length > 0) yield page.rows;
    after = page.next;
  } while (after !== null);
}

/** Counts rows and hashes them. */
export function createRowHash() {
  const hash = createHash("sha256");
  let count = 0;
  return {
    add(rows: readonly string[]): void {
      for (const row of rows) hash.update(`${row}\n`);
      count += rows.length;
    },
    end: () => ({ rows: count, sha256: hash.digest("hex") }),
  };
}

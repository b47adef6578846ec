import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { libraryStatements } from "../support/databases/library.ts";
import { joinStatements } from "../support/databases/statements.ts";
import { perService, type Service } from "../support/services.ts";
import type { Uploads } from "./build.ts";
import type { WorkerConfigs } from "./config.ts";

export type Migration = { name: string; sql: string };

/** The code of this checkout: what is uploaded, and the statements for the databases. */
export type Release = {
  /** the commit */
  label: string;
  uploads: Uploads;
  migrations: Record<Service, Migration[]>;
  /** the statements that load the mail library */
  library: string[];
  /** the paths of the assets and their content */
  assets: Map<string, Buffer>;
};

/** Returns the migrations of a folder in the order in which wrangler applies them. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
}

/** Returns the files of a folder by their path, such as `/docs/index.html`. */
function readAssets(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.toSorted().map((path) => [path.slice(folder.length).replaceAll("\\", "/"), readFileSync(path)]));
}

/** Returns the release of this checkout. Call it after the uploads were built, because building writes the assets. */
export async function readRelease(label: string, uploads: Uploads, configs: WorkerConfigs): Promise<Release> {
  const folder = configs.identity.assets?.directory;
  return {
    label,
    uploads,
    migrations: perService((service) =>
      (configs[service].d1_databases ?? []).flatMap(({ migrations_dir }) => readMigrations(migrations_dir)),
    ),
    library: joinStatements(await libraryStatements()),
    assets: folder === undefined ? new Map() : readAssets(folder),
  };
}

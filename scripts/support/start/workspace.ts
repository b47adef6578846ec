import { existsSync, mkdirSync, readFileSync, statSync, watchFile, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { perWorker, type Worker, workers } from "../services.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The path of each Worker's configuration. */
export const configs = perWorker((worker) =>
  join(root, worker === "edge" ? "wrangler.toml" : `workers/${worker}/wrangler.toml`),
);

/** The files of one `npm start`. `--reset` deletes `data`. */
export type Workspace = {
  /** copies of the configurations */
  configs: typeof configs;
  /** the settings files, which wrangler reads next to the copied configurations */
  settings: typeof configs;
  data: string;
  database: string;
  mail: string;
};

/**
 * Opens the workspace in the folder `state`, or in `.wrangler` if `state` is null. Wrangler reads the settings of several
 * Workers only from `.dev.vars` next to each configuration, and tests and builds read the same files. `npm start`
 * therefore uses copies of the configurations, so that its settings do not affect tests, builds or a second start.
 */
export function openWorkspace(state: string | null): Workspace {
  const data = state === null ? join(root, ".wrangler/state") : join(state, "data");
  const folder = state === null ? join(root, ".wrangler/start") : join(state, "config");
  const copyPaths = perWorker((worker) => join(folder, worker, "wrangler.toml"));
  for (const worker of workers) copyConfig(worker, copyPaths[worker]);
  return {
    configs: copyPaths,
    settings: perWorker((worker) => settingsPath(copyPaths[worker])),
    data,
    database: data,
    mail: join(data, "mail"),
  };
}

/** Returns the path of the settings file that wrangler reads for a configuration. */
export function settingsPath(config: string): string {
  return join(dirname(config), ".dev.vars");
}

/**
 * Copies a configuration again when it or the settings next to the copy change, until the process ends. Wrangler watches
 * only the copied configuration, and reads the settings again when the copy changes.
 */
export function followConfigs(workspace: Workspace, onChange: () => void): void {
  for (const worker of workers) {
    const copyAgain = () => {
      onChange();
      copyConfig(worker, workspace.configs[worker]);
    };
    for (const path of [configs[worker], workspace.settings[worker]]) {
      watchFile(path, { persistent: false, interval: 1000 }, copyAgain);
    }
  }
}

function copyConfig(worker: Worker, target: string): void {
  const source = configs[worker];
  const text = readFileSync(source, "utf8")
    .replace(
      /^(main|migrations_dir|directory|"[^"]+") = "(.+)"$/gm,
      (_line, name: string, path: string) => `${name} = ${JSON.stringify(resolve(dirname(source), path))}`,
    )
    // `npm start` runs the build step once for all Workers.
    .replace(/^\[build\]\ncommand = .+$/m, "");
  mkdirSync(dirname(target), { recursive: true });
  // Overwrite the file in one write and never shorten it. Truncating or replacing the file would cause two watch events,
  // and wrangler could miss the second one while it restarts its watcher.
  if (!existsSync(target)) writeFileSync(target, text);
  else writeFileSync(target, text.padEnd(statSync(target).size, "\n"), { flag: "r+" });
}

import { existsSync, mkdirSync, readFileSync, statSync, watchFile, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { perWorker, type Worker, workers } from "../services.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The configuration of each Worker. */
export const configs = perWorker((worker) =>
  join(root, worker === "edge" ? "wrangler.toml" : `workers/${worker}/wrangler.toml`),
);

/** Where one development start keeps what it needs. `data` is what `--reset` deletes. */
export type Workspace = {
  /** copies of the configurations */
  configs: typeof configs;
  /** the settings of each Worker, in the file that wrangler reads beside its configuration */
  settings: typeof configs;
  data: string;
  database: string;
  mail: string;
};

/**
 * The workspace of this folder, in `.wrangler`, or of `state`. A wrangler that runs several Workers takes their settings
 * from `.dev.vars` beside each configuration and from nowhere else, and so do tests and builds. Therefore a start works
 * with copies of the configurations: its settings reach nothing else, neither tools nor a second start.
 */
export function openWorkspace(state: string | null): Workspace {
  const data = state === null ? join(root, ".wrangler/state") : join(state, "data");
  const folder = state === null ? join(root, ".wrangler/start") : join(state, "config");
  const copies = perWorker((worker) => join(folder, worker, "wrangler.toml"));
  for (const worker of workers) copyConfig(worker, copies[worker]);
  return {
    configs: copies,
    settings: perWorker((worker) => formerSettingsPath(copies[worker])),
    data,
    database: data,
    mail: join(data, "mail"),
  };
}

/** Where wrangler looks for the settings of a Worker. */
export function formerSettingsPath(config: string): string {
  return join(dirname(config), ".dev.vars");
}

/**
 * Copies a configuration again whenever it changes, or the settings beside the copy do, until the process ends: wrangler
 * watches the copy alone, and reads the settings again with it.
 */
export function followConfigs(workspace: Workspace, onChange: () => void): void {
  for (const worker of workers) {
    const renew = () => {
      onChange();
      copyConfig(worker, workspace.configs[worker]);
    };
    for (const path of [configs[worker], workspace.settings[worker]]) {
      watchFile(path, { persistent: false, interval: 1000 }, renew);
    }
  }
}

function copyConfig(worker: Worker, target: string): void {
  const source = configs[worker];
  const text = readFileSync(source, "utf8")
    .replace(
      /^(main|migrations_dir|directory|"[^"]+\.js") = "(.+)"$/gm,
      (_line, name: string, path: string) => `${name} = ${JSON.stringify(resolve(dirname(source), path))}`,
    )
    // What is made for an upload, a start makes once for all Workers.
    .replace(/^\[build\]\ncommand = .+$/m, "");
  mkdirSync(dirname(target), { recursive: true });
  // One write over the existing file, never shorter: wrangler starts to watch again with each event. A file that was
  // emptied or replaced first causes two events, and the text may arrive while nothing watches.
  if (!existsSync(target)) writeFileSync(target, text);
  else writeFileSync(target, text.padEnd(statSync(target).size, "\n"), { flag: "r+" });
}

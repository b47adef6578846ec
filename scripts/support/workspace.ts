import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { perWorker, type Worker } from "./services.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The configuration of each Worker. */
export const configs = perWorker((worker) =>
  join(root, worker === "edge" ? "wrangler.toml" : `workers/${worker}/wrangler.toml`),
);

/** Where one development start keeps what it needs. `data` is what `--reset` deletes. */
export type Workspace = {
  configs: typeof configs;
  devVars: typeof configs;
  data: string;
  database: string;
  mail: string;
};

/**
 * The workspace of this folder, or of `state`: there the configurations are copied with absolute paths, since wrangler
 * reads `.dev.vars` beside the configuration only, and a second start must not touch those of the developer.
 */
export function openWorkspace(state: string | null): Workspace {
  const data = state === null ? join(root, ".wrangler/state") : join(state, "data");
  const used = state === null ? configs : copyConfigs(join(state, "config"));
  const besides = (path: string) => join(dirname(path), ".dev.vars");
  return {
    configs: used,
    devVars: perWorker((worker) => besides(used[worker])),
    data,
    database: data,
    mail: join(data, "mail"),
  };
}

function copyConfigs(directory: string): typeof configs {
  return perWorker((worker: Worker): string => {
    const source = configs[worker];
    const target = join(directory, worker, "wrangler.toml");
    const text = readFileSync(source, "utf8").replace(
      /^(main|migrations_dir|directory) = "(.+)"$/gm,
      (_line, name: string, path: string) => `${name} = ${JSON.stringify(resolve(dirname(source), path))}`,
    );
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    return target;
  });
}

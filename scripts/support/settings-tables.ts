import { fileURLToPath } from "node:url";
import type { Setting, SettingsTable } from "../../workers/kit/settings/settings.ts";
import { loadSource } from "./load.ts";
import { perWorker, type Worker, workers } from "./services.ts";

type Tables = Record<Worker, SettingsTable> &
  Pick<typeof import("../../workers/kit/settings/settings.ts"), "listSettings">;

const source = [
  'export { listSettings } from "./kit/settings/settings";',
  ...workers.map((worker) => `export { settingsTable as ${worker} } from "./${worker}/settings";`),
];

let loaded: Promise<Record<Worker, Setting[]>> | undefined;

/** Returns the settings of each Worker, in the order of its settings.ts. */
export function loadSettings(): Promise<Record<Worker, Setting[]>> {
  loaded ??= readSettings();
  return loaded;
}

async function readSettings(): Promise<Record<Worker, Setting[]>> {
  const folder = fileURLToPath(new URL("../../workers/", import.meta.url));
  const { listSettings, ...tables } = await loadSource<Tables>(source.join("\n"), folder);
  return perWorker((worker) => listSettings(tables[worker]));
}

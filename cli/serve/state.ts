import type { DevEvent, Finding } from "../../schemas/shell/page.ts";
import type { Output } from "../commands/output.ts";
import type { Target } from "../config/load/env.ts";
import { type Config, type Loaded, loadConfig } from "../config/load.ts";
import { listStaticFiles } from "../config/static-files.ts";
import { renderDocument } from "../page/document.ts";
import { toPageData } from "../page/page-data.ts";
import type { ShellFiles } from "../page/shell-files.ts";
import type { Events } from "./events.ts";
import type { Listening } from "./listen.ts";
import type { ServedState } from "./respond.ts";

export type ServeOptions = {
  root: string | undefined;
  cwd: string;
  target: Target;
  isOpen: boolean;
  isStrict: boolean;
  /** overrides the port in the configuration */
  port: number | undefined;
  env: NodeJS.ProcessEnv;
  shell: ShellFiles;
  output: Output;
};

/** A server, the state that it serves, and the errors of the last edit. */
export type Server = {
  readonly options: ServeOptions;
  readonly root: string;
  readonly staticFolder: string;
  /** id of this process, by which pages notice that the server was restarted */
  readonly boot: string;
  readonly events: Events;
  /** listens on another port with the same handler */
  readonly listenOn: (port: number) => Promise<Listening>;
  listening: Listening;
  served: ServedState;
  /** increases with each configuration that pages must apply */
  generation: number;
  /** errors of the last edit; empty if the edit is valid and served */
  errors: Finding[];
  /** the files that the served configuration was built from */
  files: string[];
};

export async function loadForServer({
  root,
  cwd,
  target,
  env,
  isStrict,
  shell,
  output,
}: ServeOptions): Promise<Loaded> {
  return await loadConfig({
    root,
    cwd,
    command: "start",
    target,
    env,
    isStrict,
    shell: { texts: shell.texts.en ?? {}, palettes: shell.palettes },
    print: (line) => output.err(`[config] ${line}`),
  });
}

/**
 * Renders the page of a configuration and lists the other files to serve. The page contains the generation of its
 * configuration.
 */
export function renderConfig(
  { options, root, boot, generation }: Pick<Server, "options" | "root" | "boot" | "generation">,
  { page: config, legalFiles }: Config,
): ServedState {
  const page = toPageData(config, options.shell, "development", options.target);
  const document = renderDocument(page, options.shell, [`/__dev/client.js?boot=${boot}&generation=${generation}`]);
  return { page, document, legalFiles, staticFiles: listStaticFiles(root) };
}

/** Returns the current state for a page that connects. */
export function stateOf({ boot, generation, errors }: Server): DevEvent {
  return { type: "state", boot, generation, findings: errors };
}

import { join } from "node:path";
import { printFindings } from "../commands/output.ts";
import type { Config, Loaded } from "../config/load.ts";
import { createEvents } from "./events.ts";
import { followEdits } from "./follow.ts";
import { listen } from "./listen.ts";
import { createHandler } from "./respond.ts";
import { loadForServer, renderConfig, type ServeOptions, type Server, stateOf } from "./state.ts";

export type Serving = {
  port: () => number;
  /** open resources, for tests that look for leaks */
  openResources: () => { pages: number; folders: number };
  close: () => Promise<void>;
};

/**
 * Serves a shell and applies edits to its configuration. If the initial configuration is invalid, prints its errors and
 * returns undefined. Rejects with PortInUseError if the port is in use.
 */
export async function serve(options: ServeOptions): Promise<Serving | undefined> {
  const loaded = await loadForServer(options);
  printFindings(options.output, loaded.findings, options.cwd);
  if (loaded.result === undefined) return undefined;
  const server = await startServer(options, loaded, loaded.result);
  const following = followEdits(server, loaded);
  return {
    port: () => server.listening.port,
    openResources: () => ({ pages: server.events.count(), folders: following.folderCount() }),
    close: async () => {
      server.events.close();
      await following.close();
      await server.listening.close();
    },
  };
}

async function startServer(options: ServeOptions, { root, files }: Loaded, result: Config): Promise<Server> {
  const { shell, isOpen } = options;
  const staticFolder = join(root, "static");
  const boot = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  const events = createEvents();
  const initial = { options, root, staticFolder, boot, events, generation: 0, errors: [], files };
  const handle = createHandler({
    shell,
    staticFolder,
    isOpen,
    state: () => server.served,
    connect: (response) => events.connect(response, stateOf(server)),
  });
  const listenOn = async (port: number) => await listen(port, isOpen, handle);
  const served = renderConfig(initial, result);
  const server: Server = {
    ...initial,
    served,
    listenOn,
    listening: await listenOn(options.port ?? result.config.port),
  };
  return server;
}

import { join, relative } from "node:path";
import type { Finding } from "../../schemas/shell/page.ts";
import { printFindings } from "../commands/output.ts";
import { fileFinding } from "../config/findings.ts";
import { configNames } from "../config/load/find.ts";
import type { Config, Loaded } from "../config/load.ts";
import { listStaticFiles } from "../config/static-files.ts";
import { changeBetween } from "./change.ts";
import { type Listening, PortInUseError } from "./listen.ts";
import { loadForServer, renderConfig, type Server, stateOf } from "./state.ts";
import { type Watched, type Watching, watchFiles } from "./watch.ts";

export type Following = { folderCount: () => number; close: () => Promise<void> };

/**
 * Applies edits of the configuration and of `static/`, one at a time. Edits that arrive while an edit is applied are collected,
 * and are applied together next.
 */
export function followEdits(server: Server, loaded: Loaded): Following {
  let pending: string[] = [];
  let running: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (pending.length > 0) {
      const paths = [...new Set(pending)];
      pending = [];
      await applyEdits(server, watching, paths);
    }
  };
  const watching = watchFiles(watchedOf(server, loaded), (paths) => {
    pending.push(...paths);
    running ??= work()
      .catch((error: unknown) => server.options.output.err(`The edit could not be applied: ${String(error)}`))
      .finally(() => {
        running = undefined;
      });
  });
  return {
    folderCount: watching.folderCount,
    close: async () => {
      watching.close();
      await running;
    },
  };
}

/**
 * Returns the paths to watch: all possible configuration files, `.env`, the files that the configuration was built from,
 * and `static/`.
 */
function watchedOf({ root, options, staticFolder }: Server, { file, files }: Pick<Loaded, "file" | "files">): Watched {
  const names = [root, options.cwd].flatMap((folder) => configNames.map((name) => join(folder, name)));
  const all = [...names, join(root, ".env"), ...files, ...(file ? [file] : [])];
  return { files: [...new Set(all)], trees: [staticFolder] };
}

async function applyEdits(server: Server, watching: Watching, paths: string[]): Promise<void> {
  const { staticFolder, root, events } = server;
  const staticPathOf = (path: string) => relative(staticFolder, path).replaceAll("\\", "/");
  const isStatic = (path: string) => !staticPathOf(path).startsWith("..");
  const files = paths.filter(isStatic);
  const before = server.served.staticFiles;
  server.served = { ...server.served, staticFiles: listStaticFiles(root) };
  const { staticFiles } = server.served;
  // Warnings and the page's icon depend on which files exist, not on their content.
  const isListChanged = before.size !== staticFiles.size || [...before].some((path) => !staticFiles.has(path));
  if (files.length < paths.length || isListChanged) await restart(server, watching, paths);
  if (files.length > 0) events.send({ type: "static", paths: files.map((path) => `/${staticPathOf(path)}`) });
}

/** Serves the current configuration, or reports its errors and keeps the previous one. */
async function restart(server: Server, watching: Watching, paths: string[]): Promise<void> {
  const startedAt = performance.now();
  const { options, root, events } = server;
  const loaded = await loadForServer(options);
  const newListener =
    loaded.result === undefined ? undefined : await listenOnNewPort(server, loaded.result.config.port);
  if (loaded.result === undefined || newListener instanceof PortInUseError) {
    // Watch the imports of the broken configuration and the files of the last valid one.
    watching.update(watchedOf(server, { ...loaded, files: [...loaded.files, ...server.files] }));
    const findings =
      newListener instanceof PortInUseError ? [...loaded.findings, portFinding(loaded, newListener)] : loaded.findings;
    printFindings(options.output, findings, options.cwd);
    server.errors = findings
      .filter(({ level }) => level === "error")
      .map((finding) => relativeFinding(options.cwd, finding));
    events.send({ type: "broken", findings: server.errors });
    return;
  }
  watching.update(watchedOf(server, loaded));
  serveConfig(server, loaded, loaded.result);
  printFindings(options.output, loaded.findings, options.cwd);
  const time = `${Math.round(performance.now() - startedAt)} ms`;
  options.output.out(`Restarted: ${namesOf(paths, root)} changed (${time})`);
  if (newListener !== undefined) switchPort(server, newListener);
}

/** Serves a new configuration and notifies the pages of the change. */
function serveConfig(server: Server, { files }: Loaded, result: Config): void {
  const { served: before, errors, events } = server;
  const generation = server.generation + 1;
  const served = renderConfig({ ...server, generation }, result);
  const change = changeBetween(before, served);
  server.files = files;
  server.errors = [];
  if (change === "none") {
    // The page is up to date; only the error overlay has to disappear.
    server.served = { ...served, document: before.document };
    if (errors.length > 0) events.send(stateOf(server));
    return;
  }
  server.generation = generation;
  server.served = served;
  events.send(change === "reload" ? { type: "reload" } : { type: "config", generation, page: served.page });
}

/** Returns a listener on the changed port, or the error if it is in use. Returns undefined if the port is unchanged. */
async function listenOnNewPort(server: Server, port: number): Promise<Listening | PortInUseError | undefined> {
  if (server.options.port !== undefined || port === server.listening.port) return undefined;
  try {
    return await server.listenOn(port);
  } catch (error) {
    if (error instanceof PortInUseError) return error;
    throw error;
  }
}

function switchPort(server: Server, next: Listening): void {
  const previous = server.listening;
  server.listening = next;
  server.events.send({ type: "moved", port: next.port });
  server.options.output.out(`Moved to http://localhost:${next.port}/`);
  // Close later, so that pages receive the `moved` event before their connection ends.
  setTimeout(() => void previous.close(), 300).unref();
}

function portFinding({ locate, file, root }: Loaded, { message }: PortInUseError): Finding {
  return {
    ...fileFinding("port-in-use", file ?? root, `${message} The server keeps its current port.`),
    ...locate?.(["port"]),
    path: "port",
  };
}

/** Returns a finding with its file relative to the current folder. */
function relativeFinding(cwd: string, finding: Finding): Finding {
  return { ...finding, file: relative(cwd, finding.file) || finding.file };
}

function namesOf(paths: string[], root: string): string {
  const names = paths.map((path) => relative(root, path) || path);
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
}

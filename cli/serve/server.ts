import { join, relative } from "node:path";
import type { DevEvent, Finding } from "../../schemas/shell/page.ts";
import { type Output, tellFindings } from "../commands/output.ts";
import type { Target } from "../config/env.ts";
import { configNames } from "../config/find.ts";
import { fileFinding } from "../config/findings.ts";
import { type Config, type Loaded, loadConfig } from "../config/load.ts";
import { listStaticFiles } from "../config/static-files.ts";
import { renderDocument } from "../page/document.ts";
import { toPageData } from "../page/page-data.ts";
import type { ShellFiles } from "../page/shell-files.ts";
import { changeBetween } from "./change.ts";
import { createEvents } from "./events.ts";
import { type Listening, listen, PortInUse } from "./listen.ts";
import { createHandler, type Shown } from "./respond.ts";
import { type Watched, watchFiles } from "./watch.ts";

export type ServeOptions = {
  root: string | undefined;
  cwd: string;
  target: Target;
  isOpen: boolean;
  isStrict: boolean;
  /** wins over the configuration */
  port: number | undefined;
  env: NodeJS.ProcessEnv;
  shell: ShellFiles;
  output: Output;
};

export type Serving = {
  port: () => number;
  /** how much is held, for those who look for leaks */
  held: () => { pages: number; folders: number };
  close: () => Promise<void>;
};

/**
 * Serves a shell and follows the edits of its configuration, in one process and on one port. Undefined when the configuration is
 * broken at the start, which has been told then. Rejects with PortInUse.
 */
export async function serve(options: ServeOptions): Promise<Serving | undefined> {
  const { root, cwd, target, shell, output, env, isStrict } = options;
  const load = async (): Promise<Loaded> =>
    await loadConfig({
      root,
      cwd,
      command: "start",
      target,
      env,
      isStrict,
      shell: { texts: shell.texts.en ?? {}, palettes: shell.palettes },
      print: (line) => output.err(`[config] ${line}`),
    });
  const first = await load();
  tellFindings(output, first.findings, cwd);
  if (first.result === undefined) return undefined;

  const staticFolder = join(first.root, "static");
  const boot = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  const events = createEvents();
  let generation = 0;
  let findings: Finding[] = [];
  let loaded = first;
  const show = (result: Config): Shown => {
    const page = toPageData(result.page, shell, "development", target);
    const document = renderDocument(page, shell, [`/__dev/client.js?boot=${boot}&generation=${generation}`]);
    return { page, document, legalFiles: result.legalFiles, staticFiles: listStaticFiles(first.root) };
  };
  let shown = show(first.result);
  const state = (): DevEvent => ({ type: "state", boot, generation, findings: toShown(findings, cwd) });
  const handle = createHandler({
    shell,
    staticFolder,
    isOpen: options.isOpen,
    shown: () => shown,
    connect: (response) => events.connect(response, state()),
  });
  let listening = await listen(options.port ?? first.result.config.port, options.isOpen, handle);

  const watchedOf = ({ files, file }: Loaded): Watched => {
    const names = [first.root, cwd].flatMap((folder) => configNames.map((name) => join(folder, name)));
    const all = [...names, join(first.root, ".env"), ...files, ...(file ? [file] : [])];
    return { files: [...new Set(all)], trees: [staticFolder] };
  };
  const isStatic = (path: string) => path.startsWith(`${staticFolder}/`) || path.startsWith(`${staticFolder}\\`);

  /** Takes a configuration on the air, or says why it stays off. */
  const restart = async (paths: string[]): Promise<void> => {
    const startedAt = performance.now();
    const next = await load();
    const port = next.result === undefined ? undefined : await movedTo(next.result.config.port);
    if (next.result === undefined || port instanceof PortInUse) {
      if (port instanceof PortInUse) next.findings.push(portFinding(next, port));
      // What the broken file imports stays watched beside what the last good one did.
      watching.update(watchedOf({ ...next, files: [...next.files, ...loaded.files] }));
      findings = next.findings.filter(({ level }) => level === "error");
      tellFindings(output, next.findings, cwd);
      events.send({ type: "broken", findings: toShown(findings, cwd) });
      return;
    }
    loaded = next;
    const wasBroken = findings.length > 0;
    findings = [];
    watching.update(watchedOf(next));
    generation += 1;
    const before = shown;
    shown = show(next.result);
    tellFindings(output, next.findings, cwd);
    output.out(`Restarted: ${namesOf(paths, first.root)} changed (${Math.round(performance.now() - startedAt)} ms)`);
    announce(before, shown, wasBroken);
    if (port !== undefined) await moveTo(port);
  };
  const announce = (before: Shown, now: Shown, wasBroken: boolean) => {
    const change = changeBetween(before, now);
    if (change === "reload") events.send({ type: "reload" });
    else if (change === "apply" || wasBroken) events.send({ type: "config", generation, page: now.page });
    else events.send(state());
  };
  /** The server of a changed port; undefined when it stays. */
  const movedTo = async (port: number): Promise<Listening | PortInUse | undefined> => {
    if (options.port !== undefined || port === listening.port) return undefined;
    try {
      return await listen(port, options.isOpen, handle);
    } catch (error) {
      if (error instanceof PortInUse) return error;
      throw error;
    }
  };
  const moveTo = async (next: Listening): Promise<void> => {
    const old = listening;
    listening = next;
    events.send({ type: "moved", port: next.port });
    output.out(`Moved to http://localhost:${next.port}/`);
    // Pages hear of it before their connection ends.
    setTimeout(() => void old.close(), 300).unref();
  };

  /** One change at a time; those that come meanwhile are taken together afterwards. */
  let pending: string[] = [];
  let running: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (pending.length > 0) {
      const paths = [...new Set(pending)];
      pending = [];
      const own = paths.filter((path) => !isStatic(path));
      const files = paths.filter(isStatic);
      const before = shown.staticFiles;
      shown = { ...shown, staticFiles: listStaticFiles(first.root) };
      // Which files there are decides warnings and the icon of the page; what stands in them does not.
      const isListChanged =
        before.size !== shown.staticFiles.size || [...before].some((path) => !shown.staticFiles.has(path));
      if (own.length > 0 || isListChanged) await restart(paths);
      if (files.length > 0) {
        const urls = files.map((path) => `/${relative(staticFolder, path).replaceAll("\\", "/")}`);
        events.send({ type: "static", paths: urls });
      }
    }
  };
  const watching = watchFiles(watchedOf(first), (paths) => {
    pending.push(...paths);
    running ??= work()
      .catch((error: unknown) => output.err(`The edit could not be taken over: ${String(error)}`))
      .finally(() => {
        running = undefined;
      });
  });

  return {
    port: () => listening.port,
    held: () => ({ pages: events.count(), folders: watching.folderCount() }),
    close: async () => {
      watching.close();
      events.close();
      await running;
      await listening.close();
    },
  };
}

function portFinding(loaded: Loaded, { message, port }: PortInUse): Finding {
  const at = loaded.locate?.(["port"]);
  const finding = fileFinding("port-in-use", loaded.file ?? loaded.root, `${message} The old one stays.`);
  return { ...finding, ...at, path: port === undefined ? "" : "port" };
}

/** Findings with files as a person in this folder knows them. */
function toShown(findings: readonly Finding[], cwd: string): Finding[] {
  return findings.map((finding) => ({ ...finding, file: relative(cwd, finding.file) || finding.file }));
}

function namesOf(paths: string[], root: string): string {
  const names = paths.map((path) => relative(root, path) || path);
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
}

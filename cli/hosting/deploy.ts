import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { runBuild } from "../commands/build.ts";
import { type Output, paint, printStep } from "../commands/output.ts";
import { version as shellVersion } from "../version.ts";
import { type App, type Deployment, HostingError, type MissingFiles } from "./api.ts";
import { deployToPreview, findApp, findOrCreateApp, previewTitle } from "./apps.ts";
import { formatBytes, formatTime, plainText } from "./format.ts";
import { type CommandContext, CommandFailure, type HostedProject, runInProject } from "./project.ts";
import { type Folder, listFolder } from "./upload/folder.ts";
import { type HashedFile, hashFiles, notFoundOf, toManifest } from "./upload/manifest.ts";
import { uploadBlobs } from "./upload/upload.ts";
import { semanticVersion, versionOfTime } from "./version.ts";

export type DeployOptions = {
  /** the folder to deploy; if undefined, the shell is built and `dist/web` is deployed */
  dir?: string | undefined;
  /** deploys `dist/web` as it is */
  skipsBuild?: boolean;
  appVersion?: string | undefined;
  isPreview?: boolean;
  /** tells the previews of an app apart, such as the name of a branch */
  previewName?: string | undefined;
  message?: string | undefined;
  isDryRun?: boolean;
  isJson?: boolean;
};

/** Times to send blobs that a finalize reports as missing. Each response names at most 1000 of them. */
const MAX_ROUNDS = 10;

/**
 * `platform deploy`: deploys the built shell or a folder, and prints its address. Sends only files that the service does not have,
 * so that a repeated command continues an interrupted one. Returns the exit code; after an error the earlier deployment stays live.
 */
export async function runDeploy(
  root: string | undefined,
  options: DeployOptions,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  // With --json, stdout has only the result.
  const shown: Output = options.isJson ? { out: output.err, err: output.err } : output;
  const context: CommandContext = { root, output: shown, cwd, env };
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const { signal } = interruption;
  const runOptions = { printJson: options.isJson ? output.out : undefined, signal };
  try {
    return await runInProject(context, runOptions, async (project) => {
      const folder = await prepareFolder(project, options, context);
      process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
      const startedAt = performance.now();
      const files = await hashFiles(folder.files, signal);
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      printStep(shown, `${files.length} files, ${formatBytes(bytes)}`, performance.now() - startedAt);
      if (folder.skipped.length > 0) shown.out(paint("dim", `  not deployed: ${namesOf(folder.skipped)}`));
      const deploy = options.isDryRun ? dryRun : publish;
      await deploy(project, files, { options, startedAt, output, shown, signal });
      return 0;
    });
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** Builds the shell if the options ask for it. Returns the files to deploy. */
async function prepareFolder(
  { root }: HostedProject,
  { dir, skipsBuild }: DeployOptions,
  { root: rootArgument, output, cwd, env }: CommandContext,
): Promise<Folder> {
  if (dir !== undefined) return listFolder(resolve(cwd, dir));
  const web = join(root, "dist/web");
  if (!skipsBuild) {
    const code = await runBuild({ root: rootArgument, target: "web", isStrict: false }, output, cwd, env);
    if (code !== 0) throw new CommandFailure("build-failed: Nothing was deployed.");
  } else if (!existsSync(web)) {
    throw new CommandFailure(
      `build-missing: ${relative(cwd, web)} does not exist. Leave out --no-build, or name a folder with --dir.`,
    );
  }
  return listFolder(web);
}

const MAX_NAMED = 5;

function namesOf(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more}`;
}

type Run = { options: DeployOptions; startedAt: number; output: Output; shown: Output; signal: AbortSignal };

/** Creates a deployment, sends the missing files and makes it live. Prints the result. */
async function publish(project: HostedProject, files: HashedFile[], run: Run): Promise<void> {
  const { api } = project;
  const { options, output, shown, startedAt } = run;
  const { app, id, missing, bytes_missing } = await createDeployment(project, files, run);
  let sent = await uploadBlobs(api, app, files, missing, { output: shown, signal: run.signal });
  const { deployment, again } = await finalize(project, `apps/${app.id}/deployments/${id}`, async (removed) =>
    uploadBlobs(api, app, files, removed, { output: shown, signal: run.signal }),
  );
  sent = { files: sent.files + again.files, bytes: sent.bytes + again.bytes };
  const missingHashes = new Set(missing);
  const newFiles = files.filter(({ sha256 }) => missingHashes.has(sha256));
  const seconds = (performance.now() - startedAt) / 1000;
  const url = deployment.urls?.url;
  if (options.isJson) {
    const result = {
      app: { id: app.id, name: app.name, slug: app.slug },
      deployment_id: deployment.id,
      app_version: deployment.app_version,
      url: url ?? null,
      deployment_url: deployment.urls?.deployment_url ?? null,
      expires_at: app.expires_at ?? null,
      files: files.length,
      files_new: newFiles.length,
      bytes_new: bytes_missing,
      bytes_sent: sent.bytes,
      seconds: Math.round(seconds * 100) / 100,
      warnings: deployment.warnings ?? [],
    };
    output.out(JSON.stringify(result, null, 2));
  }
  for (const { file, line, text, reason } of deployment.warnings ?? [])
    shown.err(`${paint("yellow", "warning", process.stderr)} ${file}:${line}: ${reason}: ${plainText(text)}`);
  const summary = `${newFiles.length} of ${files.length} files new, ${formatBytes(bytes_missing)}`;
  shown.out(`${paint("green", "✓")} ${summary}, ${seconds.toFixed(1)} s`);
  if (url !== undefined) shown.out(url);
  if (deployment.urls?.deployment_url !== undefined)
    shown.out(paint("dim", `this deployment: ${deployment.urls.deployment_url}`));
  if (typeof app.expires_at === "string") shown.out(paint("dim", `preview until ${formatTime(app.expires_at)}`));
}

/** Creates a deployment of the app or of a preview. Returns its app, its id, and what the service does not have. */
async function createDeployment(
  project: HostedProject,
  files: HashedFile[],
  { options, shown }: Run,
): Promise<{ app: App; id: string } & MissingFiles> {
  const request = requestOf(project, files, options, shown);
  if (options.isPreview) {
    const title = previewTitle(project.appName, options.previewName);
    const { deployment, ...preview } = await deployToPreview(project, title, request);
    return { ...preview, id: deployment.id };
  }
  const app = await findOrCreateApp(project);
  return { app, ...(await project.api.post<Deployment & MissingFiles>(`apps/${app.id}/deployments`, request)) };
}

/** Prints the files, their sizes and which of them the service does not have. Changes nothing. */
async function dryRun(project: HostedProject, files: HashedFile[], run: Run): Promise<void> {
  const { options, output, shown } = run;
  const app = await findApp(project);
  const { missing, bytes_missing, fits } = await askMissing(project, app, files, run);
  const missingHashes = new Set(missing);
  const listed = files.map(({ path, size, sha256, type }) => ({ path, size, type, is_new: missingHashes.has(sha256) }));
  const newFiles = listed.filter((file) => file.is_new).length;
  if (options.isJson) {
    const result = {
      dry_run: true,
      app: app?.name ?? null,
      files: listed,
      files_new: newFiles,
      bytes_new: bytes_missing,
    };
    output.out(JSON.stringify({ ...result, fits }, null, 2));
  } else {
    const width = Math.max(...listed.map(({ size }) => formatBytes(size).length));
    for (const { path, size, is_new } of listed)
      shown.out(`  ${is_new ? "new" : "   "}  ${formatBytes(size).padStart(width)}  ${plainText(path)}`);
  }
  if (app === undefined) shown.out(`The app "${project.appName}" would be created.`);
  if (!fits) shown.out("Another deployment does not fit into the limits of the app.");
  shown.out(`would deploy: ${newFiles} of ${files.length} files new, ${formatBytes(bytes_missing)}`);
}

/** Returns what the service does not have. Without an app there is nothing to ask, and all files count as missing. */
async function askMissing(
  project: HostedProject,
  app: App | undefined,
  files: HashedFile[],
  { options, shown }: Run,
): Promise<MissingFiles> {
  if (app === undefined) {
    const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
    const bytes_missing = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    return { missing: [...sizes.keys()], bytes_missing, fits: true };
  }
  const request = requestOf(project, files, options, shown);
  return await project.api.post<MissingFiles>(`apps/${app.id}/deployments`, { ...request, dry_run: true });
}

/** Returns the body of a new deployment. */
function requestOf(project: HostedProject, files: HashedFile[], options: DeployOptions, output: Output) {
  return {
    app_version: versionOf(project, options, output),
    shell_version: shellVersion,
    manifest: toManifest(files),
    not_found: notFoundOf(files),
    ...(options.message !== undefined && { message: options.message }),
  };
}

/** Returns the version to deploy: the option, else that of the configuration, else the time. */
function versionOf({ config }: HostedProject, { appVersion }: DeployOptions, output: Output): string {
  const configured = config.config.version;
  if (appVersion !== undefined) return appVersion;
  if (configured !== undefined && semanticVersion.test(configured)) return configured;
  const time = versionOfTime(new Date());
  if (configured !== undefined)
    output.err(`The version "${configured}" of the configuration is not a semantic version, so it is ${time}.`);
  return time;
}

/**
 * Makes a deployment live and returns it. If the service reports blobs as missing, which its clean-up may have removed since, sends
 * them again; `again` has their number.
 */
async function finalize(
  { api }: HostedProject,
  path: string,
  upload: (missing: string[]) => Promise<{ files: number; bytes: number }>,
): Promise<{ deployment: Deployment; again: { files: number; bytes: number } }> {
  const again = { files: 0, bytes: 0 };
  for (let round = 1; ; round += 1) {
    try {
      const deployment = await api.post<Deployment>(`${path}/finalize`);
      return { deployment, again };
    } catch (error) {
      if (!(error instanceof HostingError)) throw error;
      if (error.code === "invalid_deployment_status") {
        // An earlier try of this call made it live, and its response was lost.
        const deployment = await api.get<Deployment>(path);
        if (deployment.status === "active") return { deployment, again };
      }
      const missing = error.code === "blobs_missing" ? missingOf(error.body) : [];
      if (missing.length === 0 || round === MAX_ROUNDS) throw error;
      const sent = await upload(missing);
      again.files += sent.files;
      again.bytes += sent.bytes;
    }
  }
}

function missingOf(body: unknown): string[] {
  const missing = typeof body === "object" && body !== null && "missing" in body ? body.missing : [];
  return Array.isArray(missing) ? missing.filter((hash): hash is string => typeof hash === "string") : [];
}
